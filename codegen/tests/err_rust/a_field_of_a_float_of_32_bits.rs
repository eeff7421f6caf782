#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: f32,
}
