#[derive(Resource)]
struct Zoo {
    id: Option<Id<Self>>,
}
