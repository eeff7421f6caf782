//! `Api::build` checks rules across structs. It reports a mistake with the same sentence as the
//! YAML checker.

mod http;

use nouns::{
    __runtime::model::{LinkError, Subject},
    Api, Case, FieldType, Id, Resource,
    codegen::read_yaml,
};

/// A reported mistake: its code, the name of its resource, and its message. The name is empty if
/// the mistake belongs to the whole API.
type ExpectedProblem = (&'static str, &'static str, &'static str);

/// Checks that the YAML checker and `Api::build` report the same problems. `Api::build` reports the
/// resource instead of a position in a file.
fn assert_problems(yaml: &str, api: Api, expected: &[ExpectedProblem]) {
    let mistakes = read_yaml("mistake.yaml", &format!("nouns: 1\n{yaml}")).err().unwrap();
    let checked: Vec<_> = mistakes.iter().map(|mistake| &mistake.problem).collect();
    let Err(LinkError(linked)) = api.build() else {
        panic!("`Api::build` must fail like the checker of:\n{yaml}")
    };
    assert_eq!(checked, linked.iter().map(|linked| &linked.problem).collect::<Vec<_>>());
    let reported: Vec<_> = linked
        .iter()
        .map(|linked| (linked.code(), resource(linked.subject), linked.problem.to_string()))
        .collect();
    let expected = expected.iter().map(|(code, of, sentence)| (*code, *of, (*sentence).to_owned()));
    assert_eq!(reported, expected.collect::<Vec<_>>());
}

/// The name of the resource that a mistake is about; empty for a mistake in the whole API or in a
/// custom type.
fn resource(subject: Subject) -> &'static str {
    match subject {
        Subject::Interface | Subject::Type(_) => "",
        Subject::Resource(resource) | Subject::Field { resource, .. } => resource,
    }
}

#[derive(Clone, Debug, FieldType)]
#[field_type(max_length = 20)]
struct Code(pub String);

#[derive(Clone, Debug, FieldType)]
enum Status {
    Draft,
    Published,
}

const CODE: &str = "types: { code: { type: string, max_length: 20 } }\n";
const STATUS: &str = "types: { status: { enum: [draft, published] } }\n";

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[test]
fn a_collection_of_two_resources() {
    #[derive(Resource)]
    #[resource(collection = "zoos", table = "apes")]
    struct Ape {
        id: Id<Self>,
    }
    let yaml =
        "resources: { zoo: { fields: {} }, ape: { collection: zoos, table: apes, fields: {} } }";
    let mistake =
        ("N033", "ape", "the collection `zoos` is taken by resource `zoo`; choose another");
    assert_problems(yaml, Api::new("").resource::<Zoo>().resource::<Ape>(), &[mistake]);
}

#[test]
fn a_table_of_two_resources() {
    #[derive(Resource)]
    #[resource(table = "zoos")]
    struct Ape {
        id: Id<Self>,
    }
    let yaml = "resources: { zoo: { fields: {} }, ape: { table: zoos, fields: {} } }";
    let mistake = ("N033", "ape", "the table `zoos` is taken by resource `zoo`; choose another");
    assert_problems(yaml, Api::new("").resource::<Zoo>().resource::<Ape>(), &[mistake]);
}

#[test]
fn a_name_of_two_fields_on_the_wire() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        a_1b: Option<String>,
        a1b: Option<String>,
    }
    let yaml = "api: { case: camel }\n\
                resources: { ape: { fields: { a_1b: { type: string }, a1b: { type: string } } } }";
    let mistake = ("N033", "ape", "the wire name `a1b` is taken by field `a_1b`; choose another");
    assert_problems(yaml, Api::new("").case(Case::Camel).resource::<Ape>(), &[mistake]);
}

#[test]
fn a_key_that_does_not_fit_a_type() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        #[resource(minimum = 1)]
        code: Option<Code>,
    }
    let yaml = format!(
        "{CODE}resources: {{ ape: {{ fields: {{ code: {{ type: code, minimum: 1 }} }} }} }}"
    );
    let mistake =
        ("N042", "ape", "`minimum` does not fit type `string`; it is for numbers, dates and times");
    assert_problems(&yaml, Api::new("").field_type::<Code>().resource::<Ape>(), &[mistake]);
}

#[test]
fn a_value_that_is_none_of_a_type() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        #[resource(default = 5)]
        code: Option<Code>,
    }
    let yaml = format!(
        "{CODE}resources: {{ ape: {{ fields: {{ code: {{ type: code, default: 5 }} }} }} }}"
    );
    let mistake = ("N044", "ape", "`default` is `5`; it must be text");
    assert_problems(&yaml, Api::new("").field_type::<Code>().resource::<Ape>(), &[mistake]);
}

#[test]
fn a_value_that_breaks_a_rule_of_its_type() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        #[resource(default = "a text of more than twenty")]
        code: Option<Code>,
    }
    let yaml = format!(
        "{CODE}resources: {{ ape: {{ fields: {{ code: {{ type: code, default: a text of more than twenty }} }} }} }}"
    );
    let sentence = "`default` is `a text of more than twenty`, longer than `max_length`, which is `20`; change one of them";
    let api = Api::new("").field_type::<Code>().resource::<Ape>();
    assert_problems(&yaml, api, &[("N045", "ape", sentence)]);
}

#[test]
fn a_value_that_a_type_does_not_list() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        #[resource(default = drafts)]
        status: Status,
    }
    let yaml = format!(
        "{STATUS}resources: {{ ape: {{ fields: {{ status: {{ type: status, required: true, default: drafts }} }} }} }}"
    );
    let sentence = "`default` is `drafts`, which `enum` does not list \
                    (it has `draft`, `published`; `draft` is near); change one of them";
    let api = Api::new("").field_type::<Status>().resource::<Ape>();
    assert_problems(&yaml, api, &[("N045", "ape", sentence)]);
}

#[test]
fn a_bound_that_is_looser_than_that_of_its_type() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        #[resource(max_length = 30)]
        code: Option<Code>,
    }
    let yaml = format!(
        "{CODE}resources: {{ ape: {{ fields: {{ code: {{ type: code, max_length: 30 }} }} }} }}"
    );
    let sentence =
        "`max_length` is `30`, but type `code` has `20`; a field can only tighten its type";
    let api = Api::new("").field_type::<Code>().resource::<Ape>();
    assert_problems(&yaml, api, &[("N047", "ape", sentence)]);
}

#[test]
fn a_resource_that_is_not_declared() {
    #[derive(Resource)]
    struct Ape {
        id: Id<Self>,
        zoo_id: Option<Id<Zoo>>,
    }
    let yaml = "resources: { ape: { fields: { zoo_id: { references: zoo } } } }";
    assert_problems(
        yaml,
        Api::new("").resource::<Ape>(),
        &[("N060", "ape", "unknown resource `zoo`")],
    );
}

#[test]
fn parents_in_a_circle() {
    #[derive(Resource)]
    #[resource(parent = Hen)]
    struct Egg {
        id: Id<Self>,
        hen_id: Id<Hen>,
    }
    #[derive(Resource)]
    #[resource(parent = Egg)]
    struct Hen {
        id: Id<Self>,
        egg_id: Id<Egg>,
    }
    let yaml = "resources: { egg: { parent: hen, fields: {} }, hen: { parent: egg, fields: {} } }";
    let sentence = "the parents form a cycle: `egg` → `hen` → `egg`; remove one `parent`";
    assert_problems(
        yaml,
        Api::new("").resource::<Egg>().resource::<Hen>(),
        &[("N061", "egg", sentence)],
    );
}

#[test]
fn members_that_need_each_other() {
    #[derive(Resource)]
    struct Egg {
        id: Id<Self>,
        hen_id: Id<Hen>,
    }
    #[derive(Resource)]
    struct Hen {
        id: Id<Self>,
        egg_id: Id<Egg>,
    }
    let yaml = "resources: { egg: { fields: { hen_id: { references: hen, required: true } } }, \
                hen: { fields: { egg_id: { references: egg, required: true } } } }";
    let sentence = "no first member could be created, because each requires another: `egg` → `hen` → `egg`; \
                    make one of the references optional";
    assert_problems(
        yaml,
        Api::new("").resource::<Egg>().resource::<Hen>(),
        &[("N062", "egg", sentence)],
    );
}
