#[derive(Resource)]
#[resource(collection = )]
struct Zoo {
    id: Id<Self>,
}
