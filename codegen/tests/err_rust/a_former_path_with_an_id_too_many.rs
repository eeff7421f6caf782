#[derive(Resource)]
#[resource(moved_from = ["/cities/{city_id}/zoos"])]
struct Zoo {
    id: Id<Self>,
}
