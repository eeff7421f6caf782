#[derive(Resource)]
#[resource(colection = parks)]
struct Zoo {
    id: Id<Self>,
}
