#[derive(Resource)]
#[resource(access(create(where(name = "Ada"))))]
struct Zoo {
    id: Id<Self>,
    name: String,
}
