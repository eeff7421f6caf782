#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent(on_delete = cascade))]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}
