#[derive(Resource)]
struct Zoo(String);
