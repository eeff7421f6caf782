#[derive(Resource)]
#[resource(id(type = string, assigned = optional))]
struct Zoo {
    id: Id<Self>,
}
