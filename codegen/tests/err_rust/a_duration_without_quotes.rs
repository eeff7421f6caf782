#[derive(Resource)]
#[resource(cache(max_age = 60s))]
struct Zoo {
    id: Id<Self>,
}
