//! The items that a derive generates have the visibility of the resource's fields.

use nouns::Resource;

mod library {
    use nouns::{Id, Resource};

    #[derive(Resource)]
    pub struct Book {
        pub id: Id<Self>,
        pub title: String,
        secret: Option<String>,
    }
}

fn main() {
    library::NewBook::new("Emma".into()).secret = Some("s".into());
    let _ = library::BookPatch::default().secret;
    let _ = library::Book::query().filter(|book| book.secret.is_null());
}
