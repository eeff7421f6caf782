//! Compares the expansions of the derives with formatted files in `tests/expansion`. The files are
//! short, so that a change can be reviewed.
//!
//! Set `BLESS=1` to rewrite the files.

use nouns_codegen::expand::{derive_field_type, derive_resource};
use proc_macro2::TokenStream;
use std::fs;
use std::path::Path;

/// Compares an expansion with the file of this name.
fn assert_expands(name: &str, added: TokenStream) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansion").join(name);
    let text = prettyplease::unparse(&syn::parse2(added).unwrap());
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, text).unwrap();
    } else {
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == text,
            "the expansion has changed; set BLESS=1 to accept it:\n{text}"
        );
    }
}

#[test]
fn a_resource_of_six_fields_is_expanded() {
    let item = quote::quote! {
        /// An animal.
        #[resource(parent = Zoo, sort = [-weight_kg])]
        pub struct Animal {
            pub id: Id<Self>,
            pub zoo_id: Id<Zoo>,
            pub name: String,
            #[resource(references(on_delete = set_null))]
            pub mother_id: Option<Id<Self>>,
            #[resource(minimum = 0)]
            weight_kg: Option<f64>,
            /// How well it is.
            #[resource(default = 0)]
            pub health: Health,
            #[resource(create_only)]
            pub r#type: String,
            #[resource(default = "$now")]
            pub(crate) born: Option<Date>,
        }
    };
    assert_expands("resource.rs", derive_resource(item));
}

#[test]
fn a_resource_whose_members_move_and_bring_ids_is_expanded() {
    let item = quote::quote! {
        #[resource(id(assigned = optional), parent(resource = Zoo, movable))]
        struct Animal {
            id: Id<Self>,
            zoo_id: Id<Zoo>,
        }
    };
    assert_expands("movable.rs", derive_resource(item));
}

#[test]
fn what_a_resource_says_of_http_is_expanded() {
    let item = quote::quote! {
        #[resource(cache(max_age = "60s", visibility = public, must_revalidate), precondition = required)]
        #[resource(moved_from = ["/old_zoos", "/v1/zoos"], moved_to = "https://zoo.example/zoos")]
        #[resource(deprecated(since = "2026-01-01", sunset = "2027-01-01"))]
        struct Zoo {
            id: Id<Self>,
        }
    };
    assert_expands("http.rs", derive_resource(item));
}

#[test]
fn field_types_are_expanded() {
    let newtype = quote::quote! { #[field_type(format = email, max_length = 254)] pub struct Email(pub String); };
    assert_expands("newtype.rs", derive_field_type(newtype));
    let enumeration = quote::quote! { enum Status { Draft, Published } };
    assert_expands("enum.rs", derive_field_type(enumeration));
}

#[test]
fn what_stands_for_a_resource_with_a_mistake_has_its_companions() {
    let item = quote::quote! { #[resource(sort = [nmae])] struct Zoo { id: Id<Self>, name: Option<String> } };
    assert_expands("stub.rs", derive_resource(item));
}
