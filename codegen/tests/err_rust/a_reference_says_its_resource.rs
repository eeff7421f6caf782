#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(references(resource = Zoo))]
    home_id: Option<Id<Zoo>>,
}
