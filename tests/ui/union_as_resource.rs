//! A resource that is a union.

use nouns::Resource;

#[derive(Resource)]
union Zoo {
    id: i64,
    count: u64,
}

fn main() {}
