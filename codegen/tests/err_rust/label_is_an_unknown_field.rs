#[derive(Resource)]
#[resource(label = nmae)]
struct Zoo {
    id: Id<Self>,
    name: String,
}
