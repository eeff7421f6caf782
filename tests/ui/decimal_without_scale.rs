//! A decimal whose scale nobody says.

use nouns::{Decimal, Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    price: Decimal,
}

fn main() {}
