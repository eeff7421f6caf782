#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent(Zoo))]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}
