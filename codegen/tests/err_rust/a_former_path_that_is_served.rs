#[derive(Resource)]
#[resource(moved_from = ["/zoos"])]
struct Zoo {
    id: Id<Self>,
}
