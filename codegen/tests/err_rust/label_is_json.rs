#[derive(Resource)]
#[resource(label = data)]
struct Zoo {
    id: Id<Self>,
    data: Json,
}
