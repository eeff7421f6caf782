#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(type = integer)]
    age: i64,
}
