#[derive(Resource)]
#[resource(cache(visibility = private, s_maxage = "1m"))]
struct Zoo {
    id: Id<Self>,
}
