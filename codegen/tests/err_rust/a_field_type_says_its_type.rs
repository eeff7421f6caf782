#[derive(FieldType)]
#[field_type(type = string)]
struct Email(String);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
