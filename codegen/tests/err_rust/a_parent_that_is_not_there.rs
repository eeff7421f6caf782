#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = Park)]
struct Animal {
    id: Id<Self>,
    park_id: Id<Park>,
}
