#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = zoo)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}
