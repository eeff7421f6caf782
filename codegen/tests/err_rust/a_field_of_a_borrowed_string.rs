#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: &'static str,
}
