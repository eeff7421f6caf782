#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(minimum = 5u8)]
    age: i64,
}
