#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(references = Zoo)]
    home_id: Option<Id<Zoo>>,
}
