//! A required reference with `on_delete = set_null`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct City {
    id: Id<Self>,
}

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(references(on_delete = set_null))]
    city_id: Id<City>,
}

fn main() {}
