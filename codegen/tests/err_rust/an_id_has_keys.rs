#[derive(Resource)]
struct Zoo {
    #[resource(uuid)]
    id: Id<Self>,
}
