//! A field type that is a struct with named fields.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
struct Email {
    text: String,
}

fn main() {}
