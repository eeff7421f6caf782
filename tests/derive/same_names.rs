//! Two structs that declare a resource of the same name.

use nouns::{Api, Id, Resource};

/// A room of a hotel.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Room {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
}

mod office {
    use nouns::{Id, Resource};

    /// A room of an office.
    #[derive(Clone, Debug, Resource)]
    pub(crate) struct Room {
        pub(crate) id: Id<Self>,
        pub(crate) desks: u16,
    }
}

#[test]
fn two_resources_of_one_name_are_told_apart_by_their_paths() {
    let error = Api::new("Rooms").resource::<Room>().resource::<office::Room>().build();
    let text = error.unwrap_err().to_string();
    let here = module_path!();
    let expected = format!(
        "N011: resource `room`: `room` is declared a second time here; keep one of the two, or give one of the \
         structs, `{here}::Room` or `{here}::office::Room`, a name of its own: `#[resource(name = \"…\")]`"
    );
    assert!(text.contains(&expected), "{text}");
    let same = Api::new("Rooms").resource::<Room>().resource::<Room>().build();
    assert!(!same.unwrap_err().to_string().contains("one of the structs"));
}
