#[derive(Resource)]
enum Zoo {
    Small,
}
