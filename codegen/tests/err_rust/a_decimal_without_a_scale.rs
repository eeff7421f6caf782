#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    price: Decimal,
}
