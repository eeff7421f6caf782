#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

pub fn api() -> Api {
    Api::new("Zoos").cors(Cors::new().origin("*").credentials(true)).resource::<Zoo>()
}
