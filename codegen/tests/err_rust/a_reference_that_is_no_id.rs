#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(references(as = home))]
    home_id: i64,
}
