//! A field type without `Clone`.

use nouns::FieldType;

#[derive(Debug, FieldType)]
struct Email(String);

fn main() {}
