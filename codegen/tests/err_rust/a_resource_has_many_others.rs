#[derive(Resource)]
#[resource(has_many = book)]
struct Author {
    id: Id<Self>,
    name: String,
}
