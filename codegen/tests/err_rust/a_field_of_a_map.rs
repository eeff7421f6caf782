#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: std::collections::HashMap<String, String>,
}
