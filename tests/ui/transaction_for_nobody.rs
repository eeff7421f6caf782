//! A transaction of a caller, and a hook within a write, must say for whom they read and write.

use nouns::{Change, Error, Id, Resource, Store, Tx};

#[derive(Resource)]
struct Booking {
    id: Id<Self>,
    room: String,
}

fn main() {}

fn is_free(tx: &mut Tx<'_>, _: &Change<Booking>) -> Result<(), Error> {
    tx.of::<Booking>().exists(&Booking::query()).map(drop)
}

async fn count(store: &Store) -> Result<u64, Error> {
    store.transaction(|tx| tx.of::<Booking>().count(&Booking::query())).await
}
