#[derive(Resource)]
struct Book {
    id: Id<Self>,
    #[resource(maxLength = 80)]
    title: String,
}
