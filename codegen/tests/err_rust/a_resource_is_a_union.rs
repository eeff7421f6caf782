#[derive(Resource)]
union Zoo {
    id: u32,
}
