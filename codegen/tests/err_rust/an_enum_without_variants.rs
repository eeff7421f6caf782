#[derive(FieldType)]
enum Level {}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
