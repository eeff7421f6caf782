#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: (f64, f64),
}
