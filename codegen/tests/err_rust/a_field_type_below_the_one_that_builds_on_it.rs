#[derive(FieldType)]
struct Short(Label);

#[derive(FieldType)]
struct Label(String);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
