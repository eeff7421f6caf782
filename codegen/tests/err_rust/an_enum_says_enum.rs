#[derive(FieldType)]
#[field_type(enum = [low])]
enum Level {
    Low,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
