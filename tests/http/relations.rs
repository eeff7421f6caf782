//! Tests the names that lead from a member to related members, as a caller sees them.

use nouns::{
    __runtime::{
        Model,
        identify::Caller,
        model::{RelationKind, ResourceIx, ResourceModel, RuleSet, SeenModel},
    },
    codegen::read_yaml,
    interpret::api_def,
};

const ZOO: &str = "
nouns: 1
api: { title: Zoo, case: camel }
auth: { accounts: user, login: login }
resources:
  zoo:
    fields: { name: string }
    access: { read: public }
  animal:
    parent: zoo
    routes: both
    fields:
      name: string
      mother_id: { references: { resource: animal, children: young } }
      keeper: { references: { resource: user, as: minder, children: wards } }
      vet_id: { references: vet, access: { read: signed_in } }
      file_id: { references: file }
      log_id: { references: { resource: log, as: diary } }
    access: { read: public }
  shift:
    parent: { resource: zoo }
    routes: flat
    fields: { day: date }
    access: { read: public }
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
    access: { read: public }
  vet: { fields: { name: string }, access: { read: public } }
  file: { fields: { name: string } }
  log: { methods: [create], fields: { name: string }, access: { read: public } }
";

fn model() -> Model {
    Model::link(api_def(&read_yaml("zoo.yaml", ZOO).unwrap())).unwrap()
}

fn find<'m>(model: &'m Model, name: &str) -> &'m ResourceModel {
    model.resources().iter().find(|resource| resource.def.name == name).unwrap()
}

/// The names of the relations of a resource that a caller sees, in their order.
fn names(seen: SeenModel<'_>, of: &ResourceModel) -> String {
    let names = of.relations.iter().map(|relation| &*relation.wire);
    let found = names.filter(|name| seen.relation(of.ix, name).is_some());
    found.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_relation_leads_to_what_its_name_says() {
    let model = model();
    let seen = model.seen(RuleSet::NONE);
    for (of, name, target, field, is_one) in [
        ("animal", "zoo", "zoo", "zooId", true),
        ("animal", "mother", "animal", "motherId", true),
        ("animal", "minder", "user", "keeper", true),
        ("zoo", "animals", "animal", "zooId", false),
        ("animal", "young", "animal", "motherId", false),
        ("user", "wards", "animal", "keeper", false),
    ] {
        let of = find(&model, of);
        let relation = &of[seen.relation(of.ix, name).unwrap_or_else(|| panic!("{name}"))];
        let (target, is_of) =
            (find(&model, target), if is_one { of } else { find(&model, target) });
        assert_eq!((relation.target, &*is_of[relation.field()].name), (target.ix, field), "{name}");
        assert_eq!(matches!(relation.kind, RelationKind::One(_)), is_one, "{name}");
    }
}

#[test]
fn what_a_caller_may_not_read_has_no_name() {
    let model = model();
    let (program, stranger) =
        (model.seen(RuleSet::NONE), model.seen(Caller::Anonymous.rules(&model)));
    let animal = find(&model, "animal");
    // The log has no method that reads; the file is for signed-in callers, who are not strangers.
    assert_eq!(names(program, animal), "zoo mother minder vet file young");
    assert_eq!(names(stranger, animal), "zoo mother minder young");
    // The flat collection of shifts is not below the zoo.
    assert_eq!(names(stranger, find(&model, "zoo")), "animals");
    assert_eq!(stranger.field(animal.ix, "vetId"), None);
    assert!(program.field(animal.ix, "vetId").is_some());
}

#[test]
fn a_path_leads_to_one_field() {
    let model = model();
    let seen = model.seen(RuleSet::NONE);
    let animal = find(&model, "animal").ix;
    let end = |text: &str| {
        let path = seen.path(animal, text)?;
        let of = |ix: ResourceIx| model[ix].def.name;
        Some(format!("{} {}.{}", path.steps.len(), of(path.end), model[path.end][path.field].name))
    };
    for (text, expected) in [
        ("name", Some("0 animal.name")),
        ("zoo.name", Some("1 zoo.name")),
        ("mother.mother.zoo.id", Some("3 zoo.id")),
        ("minder.login", Some("1 user.login")),
        // Several members, a secret, names of the declaration, fields, and no names.
        ("young.name", None),
        ("minder.password", None),
        ("mother_id", None),
        ("motherId.name", None),
        ("zoo", None),
        ("zoo.", None),
        (".name", None),
        ("zoo..name", None),
        ("", None),
    ] {
        assert_eq!(end(text).as_deref(), expected, "{text}");
    }
}
