#[derive(FieldType)]
struct Timestamp(String);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
