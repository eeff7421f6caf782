#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

pub fn api() -> Api {
    Api::new("Zoos").idempotency_keep(Duration::from_millis(500)).resource::<Zoo>()
}
