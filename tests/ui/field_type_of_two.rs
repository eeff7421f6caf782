//! A field type that wraps two types.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
struct Point(f64, f64);

fn main() {}
