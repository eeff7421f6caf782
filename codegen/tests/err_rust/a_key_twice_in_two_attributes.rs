#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(index)]
    #[resource(index)]
    name: String,
}
