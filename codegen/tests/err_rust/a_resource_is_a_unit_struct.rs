#[derive(Resource)]
struct Zoo;
