#[derive(Resource)]
#[resource(moved_to = "/zoos")]
struct Zoo {
    id: Id<Self>,
}
