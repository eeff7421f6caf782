//! A decimal field without a scale.

use nouns::{Decimal, Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    price: Decimal,
}

fn main() {}
