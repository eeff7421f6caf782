//! A reference to a type that does not exist.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Animal {
    id: Id<Self>,
    zoo_id: Option<Id<Zoo>>,
}

fn main() {}
