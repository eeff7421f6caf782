#[derive(Resource)]
#[resource(collection = b"zoos")]
struct Zoo {
    id: Id<Self>,
}
