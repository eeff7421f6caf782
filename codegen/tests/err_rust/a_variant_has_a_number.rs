#[derive(FieldType)]
enum Level {
    Low = 1,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
