#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(required)]
    age: i64,
}
