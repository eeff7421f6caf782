#[derive(FieldType)]
enum Status {
    Draft,
    Gone(String),
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
