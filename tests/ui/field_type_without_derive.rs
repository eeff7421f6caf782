//! Fields whose types do not derive `FieldType`.

use nouns::{Id, Resource};

#[derive(Clone, Debug)]
enum Status {
    Draft,
}

#[derive(Clone, Debug)]
struct Label(String);

#[derive(Resource)]
struct Article {
    id: Id<Self>,
    status: Status,
    label: Option<Label>,
}

fn main() {}
