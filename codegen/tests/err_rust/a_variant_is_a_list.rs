#[derive(FieldType)]
enum Level {
    #[field_type(value = [1])]
    Low,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
