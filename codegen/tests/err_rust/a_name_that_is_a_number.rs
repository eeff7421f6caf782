#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(name = 5)]
    name: String,
}
