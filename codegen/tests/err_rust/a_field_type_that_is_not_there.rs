#[derive(FieldType)]
struct Email(String);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    email: Emial,
}
