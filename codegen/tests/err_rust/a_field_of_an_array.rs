#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: [u8; 4],
}
