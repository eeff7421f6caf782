#[derive(Resource)]
struct Zoo<'a> {
    id: Id<Self>,
    name: &'a str,
}
