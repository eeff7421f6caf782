//! A parent in brackets instead of after `=`.

use nouns::{Id, Resource, Store};

#[derive(Resource)]
struct Book {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent(Book))]
struct Page {
    id: Id<Self>,
    book_id: Id<Book>,
}

fn main() {}

async fn create(store: &Store, book: Id<Book>) {
    let _ = store.of::<Page>().within(book).create(NewPage::new()).await;
}
