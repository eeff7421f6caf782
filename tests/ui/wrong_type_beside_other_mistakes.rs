//! A wrong field type beside other mistakes. One compilation reports all of them.

use nouns::{Id, Resource};

/// A room.
#[derive(Clone, Debug, Resource)]
#[resource(colour = blue)]
struct Room {
    id: Id<Self>,
    letter: char,
    #[resource(max_lenght = 80)]
    name: String,
}

fn main() {}
