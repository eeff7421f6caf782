use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(check = "rating > 0")]
    rating: i64,
}
