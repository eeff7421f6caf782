#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent(resource = Zoo, required = false), routes = flat)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}
