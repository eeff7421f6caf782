#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(nullable)]
    age: i64,
}
