#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(as = home)]
    home_id: Option<Id<Zoo>>,
}
