#[derive(Resource)]
#[resource(fields(name = string))]
struct Zoo {
    id: Id<Self>,
}
