//! A field type whose variants hold something.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
enum Status {
    Open(i64),
    Closed,
}

fn main() {
    let _ = (Status::Open(1), Status::Closed);
}
