//! A booking service. Nouns serves the rooms and their bookings inside an axum program.
//!
//! - `resources.rs` declares what there is.
//! - `rules.rs` has the rules within a write: no two bookings overlap, and each write is recorded.
//! - `routes.rs` has two routes that are no resources.
//! - `router.rs` puts the service into an axum router, beside routes and layers of the program.

pub mod resources;
mod router;
mod routes;
mod rules;

use nouns::{Api, Kind, http::Method};

use self::resources::{Audit, Booking, Room};
pub use self::router::{AppState, router};

/// The problem of a booking at a time at which the room is taken.
pub const ROOM_TAKEN: Kind = Kind {
    slug: "room-taken",
    status: nouns::http::StatusCode::CONFLICT,
    title: "Room taken",
    meaning: "Another booking of the room overlaps this one. Choose another time or another room.",
};

/// The API, which the router serves below `/api`.
pub fn api() -> Api {
    Api::new("Bookings")
        .base_path("/api")
        .problem(ROOM_TAKEN)
        .resource::<Room>()
        .resource::<Booking>()
        .resource::<Audit>()
        .hooks::<Booking>(|hooks| {
            hooks.within_write(rules::is_free).within_write(rules::is_recorded)
        })
        .route(Method::GET, "/rooms/{room}/availability", routes::availability)
        .route(Method::POST, "/rooms/{room}/relocation", routes::relocate)
}
