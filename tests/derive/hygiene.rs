//! The code that the derives generate does not conflict with the names or the lints of the user's
//! crate.

/// User types whose names shadow names of Rust and of Nouns.
#[deny(warnings)]
mod shadows {
    use nouns::Id;

    pub(super) struct String;
    pub(super) struct Option;
    pub(super) struct Result;
    pub(super) struct Vec;
    pub(super) struct Default;
    pub(super) struct Clone;
    pub(super) struct Value;
    pub(super) struct Slots;
    pub(super) struct Patch;
    pub(super) struct Field;
    pub(super) struct Timestamp;
    pub(super) struct Uuid;
    #[expect(non_camel_case_types, reason = "the types have the names of Rust's primitive types")]
    mod primitives {
        pub(in super::super) struct i64;
        pub(in super::super) struct str;
        pub(in super::super) struct usize;
    }
    #[expect(unused_imports, reason = "the imports shadow names of Rust")]
    pub(super) use primitives::{i64, str, usize};

    mod core {}
    mod std {}
    mod nouns_derive {}

    /// A newtype that shadows `Some`, also in patterns.
    #[derive(Clone, Debug, nouns::FieldType)]
    pub(super) struct Some(pub ::std::string::String);

    #[derive(Clone, Debug, nouns::FieldType)]
    pub(super) struct Ok(pub Some);

    #[derive(Clone, Copy, Debug, nouns::FieldType)]
    pub(super) enum None {
        Some,
        Ok,
    }

    #[derive(nouns::Resource)]
    #[resource(id = string)]
    pub(super) struct Thing {
        pub(super) id: Id<Self>,
        pub(super) slots: ::core::option::Option<::std::string::String>,
        pub(super) value: ::std::string::String,
        pub(super) kind: Some,
        pub(super) new: ::core::option::Option<Ok>,
        pub(super) r#match: ::core::option::Option<None>,
        pub(super) thing_id: ::core::option::Option<Id<Self>>,
        #[resource(name = "written")]
        pub(super) created_at: bool,
    }

    pub(super) fn taken() -> impl Sized {
        (String, Option, Result, Vec, Default, Clone, Value, Slots, Patch, Field, Timestamp, Uuid)
    }

    pub(super) fn primitive() -> impl Sized {
        (primitives::i64, primitives::str, primitives::usize)
    }
}

/// A module with strict lints and private resource types. It does not use the items that the
/// derives generate.
#[deny(
    warnings,
    unreachable_pub,
    unused_qualifications,
    missing_docs,
    clippy::all,
    clippy::pedantic
)]
mod strict {
    use nouns::{FieldType, Id, Resource};

    #[derive(Clone, Copy, Debug, FieldType)]
    pub(super) enum Status {
        Draft,
        Published,
    }

    #[derive(Resource)]
    pub(super) struct Article {
        id: Id<Self>,
        status: Status,
        one: String,
        two: String,
        three: String,
        four: String,
        five: String,
        six: String,
        seven: String,
    }

    #[derive(Clone, Debug, FieldType)]
    struct Secret(String);

    /// A resource whose generated items must not expose the private types of this module.
    #[derive(Resource)]
    pub(super) struct Vault {
        /// The id of the vault.
        pub(super) id: Id<Self>,
        key: Secret,
        code: Option<Secret>,
        #[resource(default = "1")]
        spare: Option<Secret>,
    }

    pub(super) fn is_open(vault: &Vault) -> bool {
        let spare = [&vault.code, &vault.spare];
        vault.key.0.is_empty()
            && spare.iter().all(|key| key.as_ref().is_some_and(|key| key.0.is_empty()))
    }

    #[derive(Resource)]
    struct Nothing {
        id: Id<Self>,
    }

    pub(super) fn is_used(article: &Article) -> bool {
        let nothing: Option<Nothing> = None;
        let seven = [
            &article.one,
            &article.two,
            &article.three,
            &article.four,
            &article.five,
            &article.six,
        ];
        nothing.is_some_and(|nothing| nothing.id.key() == article.id.key())
            || matches!(article.status, Status::Draft | Status::Published)
            || seven.contains(&&article.seven)
    }
}

#[test]
fn no_name_of_the_author_is_in_the_way() {
    use nouns::Resource;

    let new = shadows::NewThing::new(
        nouns::Id::new("a".into()),
        "b".into(),
        shadows::Some::from("c"),
        true,
    );
    assert!(new.slots.is_none() && new.new.is_none() && new.r#match.is_none() && new.created_at);
    let thing = shadows::Thing {
        id: new.id,
        slots: new.slots,
        value: new.value,
        kind: new.kind,
        new: Some(shadows::Ok(shadows::Some("d".into()))),
        r#match: Some(shadows::None::Some),
        thing_id: new.thing_id,
        created_at: new.created_at,
    };
    assert!(
        thing.thing_id.is_none()
            && matches!(thing.r#match, Some(shadows::None::Some | shadows::None::Ok))
    );
    assert_eq!(shadows::Thing::FIELDS.created_at.ix().0, 7);
    assert_eq!(shadows::Thing::FIELDS.updated_at.ix().0, 9);
    let _ = (
        shadows::taken(),
        shadows::primitive(),
        thing.slots,
        thing.value,
        thing.kind.0,
        thing.new.unwrap().0,
    );
    assert_eq!(thing.id.key(), "a");
}

#[test]
fn an_item_in_a_function_is_a_resource_too() {
    #[derive(nouns::Resource)]
    struct Zoo {
        id: nouns::Id<Self>,
        name: String,
    }
    let zoo = Zoo { id: nouns::Id::new(1), name: NewZoo::new("Tierpark".into()).name };
    assert_eq!((zoo.id.key(), zoo.name.as_str()), (&1, "Tierpark"));
    let _: fn(&Article) -> bool = strict::is_used;
    let _: fn(&Vault) -> bool = strict::is_open;
}

use strict::{Article, Vault};
