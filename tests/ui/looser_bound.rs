//! A bound that the type of the field cannot hold.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(maximum = 1000)]
    size: u8,
}

fn main() {}
