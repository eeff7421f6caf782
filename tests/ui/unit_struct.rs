//! A resource without fields.

use nouns::Resource;

#[derive(Resource)]
struct Zoo;

fn main() {}
