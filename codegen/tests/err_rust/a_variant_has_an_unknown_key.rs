#[derive(FieldType)]
enum Level {
    #[field_type(rename = "bottom")]
    Low,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
