//! A number with a type suffix of Rust.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(minimum = 1i64)]
    size: i64,
}

fn main() {}
