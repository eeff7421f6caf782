//! A union that wants to be a resource.

use nouns::Resource;

#[derive(Resource)]
union Zoo {
    id: i64,
    count: u64,
}

fn main() {}
