//! A resource with a lifetime parameter.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo<'a> {
    id: Id<Self>,
    name: &'a str,
}

fn main() {}
