//! A field type that does not implement `Clone`.

use nouns::FieldType;

#[derive(Debug, FieldType)]
struct Email(String);

fn main() {}
