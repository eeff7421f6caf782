//! A maximum that is above the range of the field's type.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(maximum = 1000)]
    size: u8,
}

fn main() {}
