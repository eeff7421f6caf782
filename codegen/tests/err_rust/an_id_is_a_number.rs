#[derive(Resource)]
struct Zoo {
    id: i64,
}
