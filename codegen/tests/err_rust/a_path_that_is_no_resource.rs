#[derive(Resource)]
#[resource(sort = [animal::name])]
struct Zoo {
    id: Id<Self>,
}
