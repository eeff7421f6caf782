//! Access rules do not apply to SQL, so a transaction that acts for its caller has no SQL.

use nouns::{Error, Tx};

fn main() {}

fn count(tx: &mut Tx<'_>) -> Result<Option<(i64,)>, Error> {
    tx.as_caller().sql("SELECT count(*) FROM bookings").first()
}
