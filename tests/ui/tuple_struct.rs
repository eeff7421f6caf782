//! A resource whose fields have no names.

use nouns::Resource;

#[derive(Resource)]
struct Zoo(String);

fn main() {}
