#[derive(Resource)]
#[resource(label = twin_id)]
struct Zoo {
    id: Id<Self>,
    twin_id: Option<Id<Zoo>>,
}
