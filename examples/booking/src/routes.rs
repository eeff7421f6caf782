//! Routes that are no resources. They share the errors and the limits of the other routes.

use nouns::{
    Answer, Error, Fault, Id, Kind, Patch, Resource as _, RouteRequest, Timestamp, http::StatusCode,
};
use serde::{Deserialize, Serialize};

use crate::resources::{Booking, BookingPatch, Room};

/// The period that a client asks for: `?from=…&to=…`.
#[derive(Deserialize)]
struct Period {
    from: Timestamp,
    to: Timestamp,
}

/// A time at which a room is free.
#[derive(Serialize)]
struct Gap {
    from: Timestamp,
    to: Timestamp,
}

/// `GET /rooms/{room}/availability`: the times within a period at which the room is free.
pub(crate) async fn availability(request: RouteRequest) -> Result<Answer, Error> {
    let room = request.member::<Room>().await?;
    let Period { from, to } = request.query_as()?;
    let taken = Booking::query()
        .filter(|booking| booking.starts_at.lt(to) & booking.ends_at.gt(from))
        .sort(|booking| booking.starts_at.asc());
    let mut bookings = request.store().of::<Booking>().within(room.id).stream(&taken);
    let (mut gaps, mut free_from) = (vec![], from);
    while let Some(booking) = bookings.next().await {
        let booking = booking?;
        if free_from < booking.starts_at {
            gaps.push(Gap { from: free_from, to: booking.starts_at });
        }
        free_from = free_from.max(booking.ends_at);
    }
    if free_from < to {
        gaps.push(Gap { from: free_from, to });
    }
    Answer::json(StatusCode::OK, &gaps)
}

/// The body of a relocation.
#[derive(Deserialize)]
struct Relocation {
    /// The room into which the bookings move.
    into: i64,
    /// Only bookings that end after this time move.
    after: Timestamp,
}

/// `POST /rooms/{room}/relocation`: moves the future bookings of a room into another room, all or
/// none of them.
pub(crate) async fn relocate(request: RouteRequest) -> Result<Answer, Error> {
    let from = request.id::<Room>()?;
    let Relocation { into, after } = request.json()?;
    let into = Id::<Room>::new(into);
    let moved = request.store().transaction(move |tx| {
        let mut tx = tx.as_caller();
        let room = tx.of::<Room>().get(from)?;
        let Some(other) = tx.of::<Room>().find(into)? else {
            let fault = Fault::body("/into", "dangling", "must be the id of a room.");
            return Err(Error::from_faults(Kind::DANGLING_REFERENCE, vec![fault]));
        };
        if other.seats < room.seats {
            let fault = Fault::body("/into", "seats", "must be a room with as many seats.");
            return Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]));
        }
        let future = Booking::query().filter(|booking| booking.ends_at.gt(after)).limit(1000);
        let bookings = tx.of::<Booking>().within(from).list(&future)?;
        for booking in &bookings {
            let patch = BookingPatch { room_id: Patch::Set(into), ..BookingPatch::default() };
            tx.of::<Booking>().update(booking.id, patch)?;
        }
        Ok(bookings.len())
    });
    Answer::json(StatusCode::OK, &moved.await?)
}
