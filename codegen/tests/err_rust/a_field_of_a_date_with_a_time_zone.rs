#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: DateTime<Utc>,
}
