#[derive(FieldType)]
enum Level {
    Low,
    #[field_type(value = low)]
    Bottom,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
