#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
struct Animal {
    id: Id<Self>,
    home: Id<Zoo>,
}
