//! The resources: rooms, their bookings, and the record of what happened to bookings.

use nouns::{FieldType, Id, Resource, Timestamp};

/// A room that can be booked.
#[derive(Clone, Debug, Resource)]
pub struct Room {
    /// The id.
    pub id: Id<Self>,
    /// The name on the door.
    #[resource(unique, max_length = 80)]
    pub name: String,
    /// The number of seats.
    #[resource(minimum = 1)]
    pub seats: u16,
}

/// A booking of a room.
#[derive(Clone, Debug, Resource)]
#[resource(parent(resource = Room, movable), sort = [starts_at])]
pub struct Booking {
    /// The id.
    pub id: Id<Self>,
    /// The booked room.
    pub room_id: Id<Room>,
    /// The name of the guest.
    #[resource(max_length = 80)]
    pub guest: String,
    /// When the booking begins.
    #[resource(index)]
    pub starts_at: Timestamp,
    /// When the booking ends. The next booking may begin at the same time.
    pub ends_at: Timestamp,
    /// How certain the booking is.
    #[resource(default = "confirmed")]
    pub status: Status,
}

/// How certain a booking is.
#[derive(Clone, Copy, Debug, FieldType, PartialEq)]
pub enum Status {
    /// The guest may still cancel.
    Tentative,
    /// The guest will come.
    Confirmed,
}

/// A record of one write. Clients only read it.
#[derive(Clone, Debug, Resource)]
#[resource(methods = [list, get])]
pub struct Audit {
    /// The id.
    pub id: Id<Self>,
    /// What happened: `create 7`.
    #[resource(read_only)]
    pub what: Option<String>,
    /// The user whose request it was.
    #[resource(read_only)]
    pub user: Option<String>,
}
