#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(name = "Full Name")]
    name: String,
}
