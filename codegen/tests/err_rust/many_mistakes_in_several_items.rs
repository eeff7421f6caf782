#[derive(FieldType)]
struct Email { text: String }

#[derive(Resource)]
struct Zoo<T> {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = Zoo)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
    email: Email,
    owner: Id<Zoo>,
    age: u64,
}
