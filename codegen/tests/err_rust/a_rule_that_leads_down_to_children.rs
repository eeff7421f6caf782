use nouns::{Api, Id, Resource};

#[derive(Resource)]
#[resource(access(read(where("animals.name" = "Bella"))))]
struct Zoo {
    id: Id<Self>,
    name: String,
}

#[derive(Resource)]
#[resource(parent = Zoo)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
    name: String,
}

fn api() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>()
}
