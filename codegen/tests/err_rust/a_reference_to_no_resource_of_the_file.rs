#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    home_id: Id<Zo>,
}
