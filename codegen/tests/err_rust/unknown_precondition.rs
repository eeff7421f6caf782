#[derive(Resource)]
#[resource(precondition = always)]
struct Zoo {
    id: Id<Self>,
}
