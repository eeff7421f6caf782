#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: Option<Option<String>>,
}
