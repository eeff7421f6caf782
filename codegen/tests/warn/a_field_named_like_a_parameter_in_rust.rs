#[derive(Resource)]
struct Animal {
    id: Id<Self>,
    limit: i64,
}
