#[derive(Resource)]
#[resource(moved_from = old_zoos)]
struct Zoo {
    id: Id<Self>,
}
