//! A resource with a type parameter.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo<T> {
    id: Id<Self>,
    name: T,
}

fn main() {}
