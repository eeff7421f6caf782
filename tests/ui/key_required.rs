//! The YAML key `required`, which Rust has as `Option` or no `Option`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(required)]
    name: Option<String>,
}

fn main() {}
