#[derive(Resource)]
#[resource]
struct Zoo {
    id: Id<Self>,
}
