//! The SQL text of conditions over relations.

use nouns_runtime::{
    Model,
    identify::Caller,
    model::{
        Chain, ComparedSubjects, ComparisonOp, ListSelection, RelatedSelection, RelatedSelections,
        ResourceIx, RuleSet, Selection, TestSubject,
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
    },
    plan::{Filter, Op, Part, Shape, View},
    value::Value,
};

use super::text::{model, spelled};
use crate::{related::conditions::Names, store::bed::int};

/// A test of a field, or of the field at the end of a path.
fn test(names: Names<'_>, of: &str, path: &str, op: Op) -> Filter {
    Filter::Test { subject: names.subject(names.resource(of), path), op, values: () }
}

fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}

/// Filters over relations, each with its name and its resource.
fn filters(names: Names<'_>) -> Vec<(&'static str, &'static str, Filter)> {
    let test = |of: &str, path: &str, op| test(names, of, path, op);
    let rows = |of: &str, path: &str, test| names.rows(names.resource(of), path, test);
    let any = |of: &str, path: &str, test| Filter::Related(rows(of, path, test));
    let count = |of: &str, path: &str, test, op| {
        let subject = TestSubject::Count(rows(of, path, test));
        Filter::Test { subject, op, values: () }
    };
    let compared = |left, comparison, right| {
        Filter::Compared(Box::new(ComparedSubjects { left, comparison, right }))
    };
    let subject = |of: &str, path: &str| names.subject(names.resource(of), path);
    let late = || test("class", "year", Op::Gte);
    let named = || test("teacher", "email", Op::Eq);
    vec![
        ("a path to a unique field", "school", test("school", "district.name", Op::Eq)),
        ("a path to an id", "school", test("school", "district.id", Op::Eq)),
        ("a path to an indexed field", "class", test("class", "teacher.email", Op::In(2))),
        ("a path of two steps", "class", test("class", "school.district.name", Op::Eq)),
        ("a path without an index", "pupil", test("pupil", "class.year", Op::Between)),
        ("a path that must differ", "class", test("class", "school.district.name", Op::Ne)),
        ("a path to nothing", "class", test("class", "teacher.email", Op::Null)),
        ("a path to itself", "teacher", test("teacher", "mentor.mentor.name", Op::Contains)),
        ("any by an index", "school", any("school", "teachers", named())),
        ("any by a search for each row", "school", any("school", "classes", late())),
        ("any at all", "district", any("district", "schools", Filter::EVERY)),
        ("none", "school", not(any("school", "teachers", named()))),
        ("all", "school", not(any("school", "classes", not(late())))),
        ("any behind steps", "pupil", any("pupil", "class.school.teachers", named())),
        (
            "any of any",
            "district",
            any(
                "district",
                "schools",
                any(
                    "school",
                    "classes",
                    Filter::All(vec![late(), test("class", "teacher.mentor.email", Op::Eq)]),
                ),
            ),
        ),
        ("a number", "school", count("school", "classes", late(), Op::Gte)),
        ("a number in a range", "school", count("school", "classes", late(), Op::Between)),
        ("a number in a list", "school", count("school", "classes", Filter::EVERY, Op::In(2))),
        (
            "two fields",
            "school",
            compared(subject("school", "name"), ComparisonOp::Equal, subject("school", "code")),
        ),
        (
            "a field and a path, one without case",
            "school",
            compared(
                subject("school", "name"),
                ComparisonOp::LessOrEqual,
                subject("school", "district.name"),
            ),
        ),
        (
            "a number and a field",
            "class",
            not(compared(
                TestSubject::Count(rows("class", "school.classes", late())),
                ComparisonOp::Less,
                subject("class", "year"),
            )),
        ),
    ]
}

/// Rules that hide teachers, districts and thus all below them. The rule of districts passes
/// related rows itself.
fn ruled(model: Model) -> Model {
    let names = Names(&model);
    let text = |of: &str, path: &str, value: &str| RuleTest::Test {
        subject: names.subject(names.resource(of), path),
        op: Op::Eq,
        values: vec![RuleValue::Fixed(Value::Text(value.into()))],
    };
    let not = |test| RuleTest::Not(Box::new(test));
    let secret = text("school", "head_teacher.name", "secret");
    let district = names.resource("district");
    let open = not(RuleTest::Related(names.rows(district, "schools", secret)));
    let many = RuleTest::Test {
        subject: TestSubject::Count(names.rows(district, "schools", RuleTest::EVERY)),
        op: Op::Lt,
        values: vec![RuleValue::Account(0)],
    };
    let rules = model.resources().iter().map(|resource| {
        let test = match resource.def.name {
            "district" => RuleTest::Any(vec![open.clone(), many.clone()]),
            "teacher" => not(text("teacher", "name", "secret")),
            _ => return ResourceRules::default(),
        };
        let read = Some(Rule::new(&model, resource.ix, test));
        ResourceRules { read, ..ResourceRules::default() }
    });
    let rules = rules.collect();
    model.with_rules(rules)
}

#[test]
fn conditions_over_relations() {
    let open = model();
    let hidden = ruled(model());
    let shapes = |model: &Model, set: RuleSet, which: &str| -> Vec<_> {
        let names = Names(model);
        let shape = |(name, of, filter): (&str, &str, Filter)| {
            let place = Chain { resource: names.resource(of), ids: vec![] }.place(set);
            (format!("{name}{which}"), Shape::Count { place, filter })
        };
        filters(names).into_iter().map(shape).collect()
    };
    let of_system = shapes(&open, RuleSet::NONE, "");
    let of_caller = shapes(&hidden, Caller::Anonymous.rules(&hidden), ", under rules");
    let all = [spelled(&open, &of_system), spelled(&hidden, &of_caller)].concat();
    insta::assert_snapshot!(all);
}

/// Members come with the rows of each part of a page, of nested collections, and with one member.
#[test]
fn selections_of_members_that_come_with_a_row() {
    let open = model();
    let hidden = ruled(model());
    let shapes = |model: &Model, set: RuleSet, which: &str| {
        let names = Names(model);
        let [class, teacher] = ["class", "teacher"].map(|name| names.resource(name));
        let relation = |of, name: &str| model.seen(RuleSet::NONE).relation(of, name).unwrap();
        let name = |of| [model[of].field("name").unwrap()].into();
        let mentor = RelatedSelection {
            relation: relation(teacher, "mentor"),
            fields: name(teacher),
            length_max: None,
            related: RelatedSelections::default(),
        };
        let related = vec![
            RelatedSelection {
                relation: relation(class, "school"),
                fields: [].into(),
                length_max: None,
                related: RelatedSelections::default(),
            },
            RelatedSelection {
                relation: relation(class, "teacher"),
                fields: name(teacher),
                length_max: None,
                related: RelatedSelections { members: vec![mentor], lists: vec![] },
            },
        ];
        let related = RelatedSelections { members: related, lists: vec![] };
        let selection = Selection::new(View::Shown, related);
        let place =
            |depth| Chain { resource: class, ids: vec![Value::Integer(1); depth] }.place(set);
        let list = |depth, part| {
            let sort = model[class].sort.to_vec();
            let is_first = matches!(part, Part::First | Part::Counted);
            let beyond = vec![true; if is_first { 0 } else { sort.len() }];
            let (place, selection) = (place(depth), selection.clone());
            Shape::List { place, filter: Filter::EVERY, sort, selection, part, beyond }
        };
        let all = [
            ("first", list(0, Part::First)),
            ("later", list(0, Part::Later)),
            ("earlier", list(0, Part::Earlier)),
            ("nested", list(2, Part::First)),
            ("later, nested", list(2, Part::Later)),
            ("member", Shape::Get { place: place(1), selection: selection.clone() }),
        ];
        all.map(|(name, shape)| (format!("{name}{which}"), shape)).to_vec()
    };
    let of_system = shapes(&open, RuleSet::NONE, "");
    let of_caller = shapes(&hidden, Caller::Anonymous.rules(&hidden), ", under rules");
    let all = [spelled(&open, &of_system), spelled(&hidden, &of_caller)].concat();
    insta::assert_snapshot!(all);
}

/// Lists come with the rows of pages and with one member, and lists with their rows. SQLite has a
/// statement for each.
#[test]
fn selections_of_lists_that_come_with_a_row() {
    let open = model();
    let hidden = ruled(model());
    let shapes = |model: &Model, set: RuleSet, which: &str| {
        let names = Names(model);
        let [school, teacher, class, pupil] =
            ["school", "teacher", "class", "pupil"].map(|name| names.resource(name));
        let relation = |of, name: &str| model.seen(RuleSet::NONE).relation(of, name).unwrap();
        let name = |of| [model[of].field("name").unwrap()].into();
        let mentor = RelatedSelection {
            relation: relation(teacher, "mentor"),
            fields: name(teacher),
            length_max: None,
            related: RelatedSelections::default(),
        };
        let list = |of, name: &str, fields, filter, related| {
            let relation = relation(of, name);
            let sort = model[model[of][relation].target].sort.to_vec();
            ListSelection { relation, fields, filter, sort, related }
        };
        let pupils = list(class, "pupils", name(pupil), Filter::EVERY, Default::default());
        let members = RelatedSelections { members: vec![mentor], lists: vec![] };
        let lists = RelatedSelections { members: vec![], lists: vec![pupils] };
        let late = test(names, "class", "year", Op::Gte);
        let of_teacher = test(names, "class", "teacher.email", Op::Eq);
        let filter = Filter::All(vec![late, of_teacher]);
        let teachers = list(school, "teachers", name(teacher), Filter::EVERY, members);
        let year = [model[class].field("year").unwrap()].into();
        let classes = list(school, "classes", year, filter, lists);
        let related = RelatedSelections { members: vec![], lists: vec![teachers, classes] };
        let selection = Selection::new(View::Shown, related);
        let place = |depth| Chain { resource: school, ids: vec![int(1); depth] }.place(set);
        let page = |part, beyond| Shape::List {
            place: place(1),
            filter: test(names, "school", "name", Op::Ne),
            sort: model[school].sort.to_vec(),
            selection: selection.clone(),
            part,
            beyond,
        };
        let flat = |resource| Chain { resource, ids: vec![] }.place(set);
        let listed = |target: ResourceIx, list: &ListSelection, of: ResourceIx| {
            let (place, reference) = (flat(target), model[of][list.relation].field());
            Shape::ListRows { place, reference, list: list.clone() }
        };
        let [teachers, classes] = selection.related().lists.as_slice() else { panic!("two lists") };
        let [pupils] = classes.related.lists.as_slice() else { panic!("one list") };
        let keys = vec![true; model[school].sort.len()];
        let all = [
            ("page", page(Part::First, vec![])),
            ("later", page(Part::Later, keys.clone())),
            ("earlier", page(Part::Earlier, keys)),
            ("member", Shape::Get { place: place(0), selection: selection.clone() }),
            ("teachers", listed(teacher, teachers, school)),
            ("classes", listed(class, classes, school)),
            ("pupils", listed(pupil, pupils, class)),
        ];
        all.map(|(name, shape)| (format!("{name}{which}"), shape)).to_vec()
    };
    let of_system = shapes(&open, RuleSet::NONE, "");
    let of_caller = shapes(&hidden, Caller::Anonymous.rules(&hidden), ", under rules");
    insta::assert_snapshot!([spelled(&open, &of_system), spelled(&hidden, &of_caller)].concat());
}
