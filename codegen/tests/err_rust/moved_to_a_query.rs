#[derive(Resource)]
#[resource(moved_to = "https://zoo.example.org/?all")]
struct Zoo {
    id: Id<Self>,
}
