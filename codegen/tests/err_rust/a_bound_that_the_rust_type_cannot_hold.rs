#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(maximum = 300)]
    age: u8,
}
