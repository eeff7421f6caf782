//! Fields whose types do not exist. Each is reported once.

use nouns::{FieldType, Id, Resource};

#[derive(Resource)]
struct Booking {
    id: Id<Self>,
    room_id: Id<Room>,
    guest_id: Option<Id<Guest>>,
    state: State,
    #[resource(default = "long")]
    form: Form,
    tone: Option<Tone>,
    #[resource(write_only)]
    secret: Secret,
}

#[derive(Resource)]
#[resource(parent = Hotel)]
struct Floor {
    id: Id<Self>,
    hotel_id: Id<Hotel>,
    state: crate::Missing,
}

#[derive(Resource)]
struct Key {
    id: Id<Self>,
    state: Ring,
    form: Option<Bit>,
}

#[derive(Clone, Debug, FieldType)]
struct Label(Word);

fn main() {}
