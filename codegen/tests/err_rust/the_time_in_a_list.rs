use nouns::{Id, Resource, Timestamp};

#[derive(Resource)]
#[resource(access(read(where(opened_at = ["$now"]))))]
struct Zoo {
    id: Id<Self>,
    opened_at: Timestamp,
}
