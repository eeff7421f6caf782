#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(maximum = many)]
    age: u8,
}
