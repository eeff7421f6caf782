#[derive(Resource)]
#[resource(cache(no_store, max_age = "60s"))]
struct Zoo {
    id: Id<Self>,
}
