#[derive(FieldType)]
struct Home(Id<Zoo>);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
