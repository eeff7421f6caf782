#[derive(Resource)]
struct Zoo {
    name: String,
}
