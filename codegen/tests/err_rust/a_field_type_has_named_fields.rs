#[derive(FieldType)]
struct Email {
    text: String,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
