//! A field type around two types.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
struct Point(f64, f64);

fn main() {}
