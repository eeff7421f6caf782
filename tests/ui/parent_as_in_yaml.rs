//! A parent by its name, as in YAML, instead of its struct.

use nouns::{Id, Resource, Store};

#[derive(Resource)]
struct Book {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = book)]
struct Page {
    id: Id<Self>,
    book_id: Id<Book>,
}

fn main() {}

async fn create(store: &Store, book: Id<Book>) {
    let _ = store.of::<Page>().within(book).create(NewPage::new()).await;
}
