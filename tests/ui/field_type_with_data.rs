//! A field type that is an enum whose variants have data.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
enum Status {
    Open(i64),
    Closed,
}

fn main() {
    let _ = (Status::Open(1), Status::Closed);
}
