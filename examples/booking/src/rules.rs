//! The rules of a booking. They run within the transaction of each write. No other write runs at
//! the same time, so what a rule has read is still true when the write is committed.

use nouns::{Change, Error, Fault, Kind, Resource as _, Tx};

use crate::{
    ROOM_TAKEN,
    resources::{Audit, Booking, NewAudit},
};

/// Refuses a booking that overlaps another booking of its room.
pub(crate) fn is_free(tx: &mut Tx<'_>, change: &Change<Booking>) -> Result<(), Error> {
    let Some(booking) = &change.after else { return Ok(()) };
    if booking.ends_at <= booking.starts_at {
        let fault = Fault::body("/ends_at", "order", "must be after `starts_at`.");
        return Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]));
    }
    let (id, starts_at, ends_at) = (booking.id, booking.starts_at, booking.ends_at);
    let overlapping = Booking::query()
        .filter(|other| other.starts_at.lt(ends_at) & other.ends_at.gt(starts_at))
        .filter(|other| other.id.ne(id));
    if tx.as_system().of::<Booking>().within(booking.room_id).exists(&overlapping)? {
        let fault = Fault::body("/starts_at", "taken", "must not overlap another booking.");
        return Err(Error::from_faults(ROOM_TAKEN, vec![fault]));
    }
    Ok(())
}

/// Records a write in the same transaction: there is no booking without its record, and no record
/// of a booking that was refused.
pub(crate) fn is_recorded(tx: &mut Tx<'_>, change: &Change<Booking>) -> Result<(), Error> {
    let booking = change.after.as_ref().or(change.before.as_ref());
    let what = booking.map(|booking| format!("{} {}", change.operation.word(), booking.id));
    let user = change.facts().caller().name().map(str::to_owned);
    tx.as_system().of::<Audit>().create(NewAudit { what, user }).map(drop)
}
