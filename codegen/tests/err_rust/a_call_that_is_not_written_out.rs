#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

fn api() -> Api {
    Api::new("Zoos").version(env!("CARGO_PKG_VERSION")).resource::<Zoo>()
}
