#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

pub fn api() -> Api {
    Api::new("Zoos").trace(DEBUG).resource::<Zoo>()
}
