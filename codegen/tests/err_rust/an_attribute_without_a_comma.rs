#[derive(Resource)]
#[resource(noun deprecated)]
struct Zoo {
    id: Id<Self>,
}
