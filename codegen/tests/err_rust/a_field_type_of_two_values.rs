#[derive(FieldType)]
struct Point(f64, f64);

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}
