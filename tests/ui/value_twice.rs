//! Two variants with one value.

use nouns::FieldType;

#[derive(Clone, Debug, FieldType)]
enum Status {
    Open,
    #[field_type(value = "open")]
    Free,
}

fn main() {
    let _ = (Status::Open, Status::Free);
}
