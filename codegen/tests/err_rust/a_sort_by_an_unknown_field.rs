#[derive(Resource)]
#[resource(sort = [-naem])]
struct Zoo {
    id: Id<Self>,
    name: String,
}
