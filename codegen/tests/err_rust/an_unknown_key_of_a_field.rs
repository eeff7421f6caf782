#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(uniqe)]
    name: String,
}
