#[derive(Resource)]
struct Zoos {
    id: Id<Self>,
    name: String,
}
