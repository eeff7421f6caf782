#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(default = "5")]
    age: i64,
}
