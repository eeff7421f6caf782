//! Tests of single items, as a derive reads them.

use nouns_codegen::derive::{BrokenItem, ResourceItem, TypeForm, TypeItem};
use nouns_codegen::schema::{DefaultValue, FieldKind, Literal};
use nouns_codegen::{read_field_type, read_resource, read_yaml};
use quote::ToTokens;
use syn::{DeriveInput, parse_quote};

fn resource(item: &DeriveInput) -> ResourceItem {
    read_resource(item).unwrap_or_else(|broken| panic!("{}", broken.diagnostics))
}

fn field_type(item: &DeriveInput) -> TypeItem {
    read_field_type(item).unwrap_or_else(|broken| panic!("{}", broken.diagnostics))
}

fn broken(item: &DeriveInput) -> Box<BrokenItem> {
    read_resource(item).err().expect("the item has a mistake")
}

fn codes(broken: &BrokenItem) -> Vec<&str> {
    broken.diagnostics.iter().map(|mistake| mistake.problem.code()).collect()
}

fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The YAML declaration that equals the struct `Animal` in the following test.
const ZOO: &str = "
nouns: 1
resources:
  zoo: { fields: { name: string } }
  animal_type: { fields: { name: string } }
  animal:
    parent: zoo
    fields:
      name: { type: string, required: true }
      animal_type_id: { references: animal_type, required: true }
      weight_kg: { type: number, minimum: 0 }
      born: date
    sort: [name]
    limit: { default: 20, maximum: 100 }
";

#[test]
fn the_animal_of_the_design_is_the_one_of_the_zoo() {
    let animal = resource(&parse_quote! {
        #[resource(parent = Zoo, sort = [name], limit(default = 20, maximum = 100))]
        struct Animal {
            id: Id<Animal>,
            zoo_id: Id<Zoo>,
            name: String,
            animal_type_id: Id<AnimalType>,
            #[resource(minimum = 0)] weight_kg: Option<f64>,
            born: Option<Date>,
        }
    });
    let zoo = read_yaml("zoo.yaml", ZOO).unwrap();
    assert_eq!(animal.schema, zoo.resources[2]);
    let names: Vec<_> = animal.fields.iter().map(|field| field.ident.to_string()).collect();
    assert_eq!(names, ["name", "animal_type_id", "weight_kg", "born"]);
    assert_eq!(animal.id.ident, "id");
    let parent = animal.parent.unwrap();
    assert_eq!(
        (text(parent.path), parent.field.ident.to_string()),
        ("Zoo".into(), "zoo_id".into())
    );
    assert_eq!(animal.fields[1].reference.as_ref().map(text).as_deref(), Some("AnimalType"));
    let weight = &animal.fields[2];
    assert_eq!((text(&weight.inner), weight.optional, weight.named), ("f64".into(), true, false));
}

#[test]
fn a_path_is_known_by_its_last_segment_and_kept_whole() {
    let animal = resource(&parse_quote! {
        #[resource(parent(resource = crate::places::Zoo, field = keeper_id))]
        struct Animal {
            /// Hidden from the declaration.
            id: nouns::Id<Self>,
            keeper_id: nouns::Id<crate::places::Zoo>,
            /// Its colour.
            fur: Option<crate::looks::Fur>,
            friend_id: Option<Id<super::Animal>>,
        }
    });
    let parent = animal.schema.parent.unwrap();
    assert_eq!((parent.resource.as_str(), parent.field.as_str()), ("zoo", "keeper_id"));
    assert_eq!(text(animal.parent.unwrap().path), "crate :: places :: Zoo");
    let fur = &animal.schema.fields[0];
    assert_eq!((fur.type_name.as_deref(), fur.domain.kind), (Some("fur"), None));
    assert_eq!(fur.description.as_deref(), Some("Its colour."));
    assert!(animal.fields[0].named);
    assert_eq!((animal.fields[0].docs.len(), animal.id.docs.len()), (1, 1));
    let friend = animal.schema.fields[1].reference.as_ref().unwrap();
    assert_eq!(friend.resource, "animal");
}

#[test]
fn what_another_item_declares_is_taken_for_known() {
    let animal = resource(&parse_quote! {
        struct Animal {
            id: Id<Self>,
            #[resource(default = 5)] zoo_id: Id<Zoo>,
            #[resource(default = de)] country_id: Id<Country>,
            #[resource(minimum = "9", maximum = "10", default = "$now")] seen: Seen,
            #[resource(minimum = 1, max_length = 5, enum = [a, 2], default = 2, example = a, scale = 3)] odd: Odd,
            #[resource(default = "$account.id", read_only)] owner_id: Id<User>,
        }
    });
    let default = |index: usize| animal.schema.fields[index].default.clone();
    assert_eq!(default(0), Some(DefaultValue::Value(Literal::Integer(5))));
    assert_eq!(default(1), Some(DefaultValue::Value(Literal::String("de".into()))));
    assert_eq!(default(2), Some(DefaultValue::Now));
    assert_eq!(default(3), Some(DefaultValue::Value(Literal::Integer(2))));
    assert_eq!(default(4), Some(DefaultValue::Account("id".into())));
}

#[test]
fn what_one_item_can_say_is_checked_in_it() {
    let item = "
        #[resource(sort = [naem], parent = Self)]
        struct Animal {
            id: Id<Self>,
            self_id: Id<Self>,
            title: String,
            #[resource(column = title)] name: String,
            #[resource(minimum = 5, maximum = 4)] level: Level,
        }";
    assert_eq!(codes(&broken(&syn::parse_str(item).unwrap())), ["N065", "N061", "N033", "N043"]);
}

#[test]
fn identifiers_of_rust_are_kept_where_the_names_differ() {
    let item = resource(&parse_quote! {
        #[resource(name = "data_set")]
        struct Dataset {
            id: Id<Dataset>,
            r#type: String,
            #[resource(name = "self")] self_: String,
            mine_id: Option<Id<Self>>,
            other_id: Option<Id<Dataset>>,
        }
    });
    let rust: Vec<_> =
        item.schema.fields.iter().map(|field| (field.name.as_str(), field.rust.as_str())).collect();
    assert_eq!(rust[..2], [("type", "r#type"), ("self", "self_")]);
    assert_eq!((item.schema.name.as_str(), item.schema.rust.as_str()), ("data_set", "Dataset"));
    for field in &item.schema.fields[2..] {
        assert_eq!(field.reference.as_ref().unwrap().resource, "data_set");
    }
}

#[test]
fn short_whole_numbers_have_bounds() {
    let item = resource(&parse_quote! {
        struct Zoo {
            id: Id<Self>,
            a: i8,
            b: u32,
            #[resource(minimum = -5, maximum = 1_0)] c: i16,
            #[resource(maximum = 0xff)] d: u8,
        }
    });
    let bounds: Vec<_> = item
        .schema
        .fields
        .iter()
        .map(|field| (field.domain.minimum.clone(), field.domain.maximum.clone()))
        .collect();
    let range = |low, high| (Some(Literal::Integer(low)), Some(Literal::Integer(high)));
    assert_eq!(bounds, [range(-128, 127), range(0, 4_294_967_295), range(-5, 10), range(0, 255)]);
}

#[test]
fn doc_comments_are_descriptions_unless_they_say_nothing() {
    let description = |item: DeriveInput| resource(&item).schema.description;
    assert_eq!(
        description(parse_quote! {
            /// First.
            ///
            ///  Indented.
            ///
            struct Zoo { id: Id<Self> }
        }),
        Some("First.\n\n Indented.".to_owned())
    );
    assert_eq!(
        description(parse_quote! {
            /// A comment.
            #[resource(description = "Another.")]
            struct Zoo { id: Id<Self> }
        }),
        Some("Another.".to_owned())
    );
    assert_eq!(
        description(parse_quote! {
            /// One `zoo`.
            struct Zoo { id: Id<Self> }
        }),
        None
    );
    let zoo = resource(&parse_quote! {
        struct Zoo {
            id: Id<Self>,
            /// The field `name`.
            name: String,
            /// The field `title`.
            #[resource(name = "motto")]
            title: String,
        }
    });
    let descriptions: Vec<_> =
        zoo.schema.fields.iter().map(|field| field.description.as_deref()).collect();
    assert_eq!(descriptions, [None, Some("The field `title`.")]);
}

#[test]
fn field_types_are_enums_or_stand_around_one_type() {
    let status = field_type(&parse_quote! {
        /// A value of `status`.
        enum Status { Draft, #[field_type(value = "on hold")] Waiting, InProgress }
    });
    assert_eq!(status.schema.description, None);
    let TypeForm::Enum { variants } = status.form else {
        panic!("`Status` should be read as an enum")
    };
    let variants: Vec<_> =
        variants.iter().map(|(ident, value)| (ident.to_string(), value.to_string())).collect();
    let expected = [("Draft", "draft"), ("Waiting", "on hold"), ("InProgress", "in_progress")];
    assert_eq!(variants, expected.map(|(ident, value)| (ident.to_owned(), value.to_owned())));

    let level = field_type(&parse_quote! {
        enum Level { #[field_type(value = 1)] Low, #[field_type(value = 2)] High }
    });
    assert_eq!(level.schema.domain.kind, Some(FieldKind::Integer));

    let small = field_type(&parse_quote! {
        #[field_type(maximum = 9)]
        struct Small(crate::Count);
    });
    assert_eq!(small.schema.base.as_deref(), Some("count"));
    assert!(matches!(small.form, TypeForm::Newtype { named: true, .. }));
}

#[test]
fn a_broken_item_has_enough_for_a_stub() {
    let broken = broken(&parse_quote! { pub struct Zoo<'a> { name: &'a str, weight: f32 } });
    assert_eq!(codes(&broken), ["N070"]);
    assert_eq!((broken.ident.to_string(), broken.fields.len()), ("Zoo".to_owned(), 2));
    assert_eq!(broken.generics.params.len(), 1);
}

#[test]
fn mistakes_become_errors_of_the_compiler() {
    let item =
        "struct Zoo { id: Id<Self>, weight: f32, height: f32, #[resource(uniqe)] name: String }";
    let broken = broken(&syn::parse_str(item).unwrap());
    let errors = broken.diagnostics.to_compile_errors().to_string();
    assert_eq!(errors.matches(":: core :: compile_error !").count(), 3, "{errors}");
    assert!(errors.contains("N072: `f32` cannot be the type of a field; write `f64`"), "{errors}");
    assert!(
        errors.contains("N010: unknown key `uniqe` in a field; did you mean `unique`?"),
        "{errors}"
    );
}
