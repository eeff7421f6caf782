#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    twin_id: Id<Zoo>,
}
