//! The macro `schema!` without a path.

mod zoo {
    nouns::schema!(zoo);
}

fn main() {}
