#[derive(Resource)]
#[resource(sort = [name])]
struct Animal {
    id: Id<Self>,
    name: String,
    #[resource(filterable = true)]
    weight_kg: f64,
}
