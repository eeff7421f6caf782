#[derive(Resource)]
struct Zoo {
    id: Id<Animal>,
}

#[derive(Resource)]
struct Animal {
    id: Id<Self>,
}
