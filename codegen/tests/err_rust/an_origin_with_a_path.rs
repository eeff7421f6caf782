#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

pub fn api() -> Api {
    Api::new("Zoos").cors(Cors::new().origin("https://zoo.example.org/app")).resource::<Zoo>()
}
