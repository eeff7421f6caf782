use nouns::{Id, Resource};

#[derive(Resource)]
struct Note {
    id: Id<Self>,
    #[resource(default = "$acount.id")]
    owner: String,
}
