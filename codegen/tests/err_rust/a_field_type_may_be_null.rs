#[derive(FieldType)]
struct Email(Option<String>);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
