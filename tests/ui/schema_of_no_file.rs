//! A macro `schema!` of a file that is not there.

mod zoo {
    nouns::schema!("schemas/zo.yaml");
}

fn main() {}
