//! The macro `schema!` with a file that does not exist.

mod zoo {
    nouns::schema!("schemas/zo.yaml");
}

fn main() {}
