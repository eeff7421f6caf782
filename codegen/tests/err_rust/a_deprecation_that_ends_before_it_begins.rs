#[derive(Resource)]
#[resource(deprecated(since = "2027-01-01", sunset = "2026-01-01"))]
struct Zoo {
    id: Id<Self>,
}
