#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

fn api() -> Api {
    Api::new("Zoos").field_type::<Email>().resource::<Zoo>()
}
