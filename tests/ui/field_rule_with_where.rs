//! A rule of a field that depends on the member.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Staff {
    id: Id<Self>,
    #[resource(access(write(where(id = 1))))]
    salary: Option<i64>,
}

fn main() {}
