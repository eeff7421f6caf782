//! Mistakes that a derive macro cannot see, because it sees only one struct. `Model::link` reports
//! them with the codes and messages of the schema checker.

use nouns_runtime::{
    Model,
    def::{
        ApiDef, Case, DefaultDef, FieldDef, FieldKind, FieldMode, Literal, OnDelete, ParentDef,
        ReferenceDef, ResourceDef, Routes, SortDef, TypeDef,
    },
    model::Problem,
};

use crate::store::bed::leaked;

fn problems_of(api: ApiDef) -> String {
    Model::link(leaked(api)).map_or_else(|error| error.to_string(), |_| String::new())
}

fn problems(resources: Vec<ResourceDef>) -> String {
    let resources: Vec<_> = resources.into_iter().map(|def| leaked(def)).collect();
    problems_of(ApiDef { resources: resources.leak(), ..ApiDef::new("") })
}

const ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
const BIRD: ResourceDef = ResourceDef::new("bird", "birds", "Bird");

const fn under(resource: &'static str, field: &'static str) -> Option<ParentDef> {
    Some(ParentDef {
        resource,
        field,
        on_delete: OnDelete::Restrict,
        movable: false,
        required: true,
    })
}

const fn reference(name: &'static str, resource: &'static str, required: bool) -> FieldDef {
    let alias = "other";
    let reference = ReferenceDef { resource, alias, on_delete: OnDelete::Restrict, children: None };
    FieldDef { reference: Some(reference), required, ..FieldDef::new(name, FieldKind::Reference) }
}

fn bird(field: FieldDef) -> ResourceDef {
    ResourceDef { fields: vec![field].leak(), ..BIRD }
}

#[test]
fn names_are_taken_once() {
    let twin = ResourceDef { name: "ape", ..ZOO };
    let expected = "N033: resource `ape`: the collection `zoos` is taken by resource `zoo`; choose another\n\
                    N033: resource `ape`: the table `zoos` is taken by resource `zoo`; choose another\n";
    assert_eq!(problems(vec![ZOO, twin]), expected);
    let columns = [
        FieldDef::new("a", FieldKind::String),
        FieldDef { column: "a", ..FieldDef::new("b", FieldKind::Date) },
    ];
    let expected = "N033: resource `bird`: the column `a` is taken by field `a`; choose another\n";
    assert_eq!(problems(vec![ResourceDef { fields: columns.to_vec().leak(), ..BIRD }]), expected);
    let parent = ResourceDef {
        parent: under("zoo", "zoo_id"),
        ..bird(FieldDef::new("zoo_id", FieldKind::Integer))
    };
    let expected = "N033: resource `bird`: the field `zoo_id` is taken by `parent`, which makes it; remove it here\n";
    assert_eq!(problems(vec![ZOO, parent]), expected);
    let types = [
        TypeDef::new("email", FieldKind::String),
        TypeDef { max_length: Some(9), ..TypeDef::new("email", FieldKind::String) },
    ];
    let types: Vec<_> = types.map(leaked).to_vec();
    let expected = "N033: the type `email` is taken by type `email`; choose another\n";
    assert_eq!(problems_of(ApiDef { types: types.leak(), ..ApiDef::new("") }), expected);
}

#[test]
fn names_on_the_wire_are_taken_once() {
    let fields =
        vec![FieldDef::new("a_b", FieldKind::String), FieldDef::new("a_B", FieldKind::String)];
    let fields = fields.leak();
    fields[1].column = "other";
    let resources = vec![leaked(ResourceDef { fields, ..BIRD })].leak();
    let expected =
        "N033: resource `bird`: the wire name `aB` is taken by field `a_b`; choose another\n";
    assert_eq!(problems_of(ApiDef { resources, case: Case::Camel, ..ApiDef::new("") }), expected);
}

#[test]
fn names_of_the_system_are_reserved() {
    let expected = "N034: resource `bird`: the field `id` is reserved: every member has one already; choose another\n";
    assert_eq!(problems(vec![bird(FieldDef::new("id", FieldKind::String))]), expected);
    let column = FieldDef { column: "revision", ..FieldDef::new("a", FieldKind::String) };
    let expected = "N034: resource `bird`: the column `revision` is reserved: every row has one already; choose another\n";
    assert_eq!(problems(vec![bird(column)]), expected);
    let table = ResourceDef { table: "_nouns_a", ..BIRD };
    let expected = "N034: resource `bird`: the table `_nouns_a` is reserved: tables that begin with `_nouns` hold the state of the system; choose another\n";
    assert_eq!(problems(vec![table]), expected);
}

#[test]
fn what_a_reference_is_called_is_nothing_else() {
    let mut fields =
        vec![reference("zoo_id", "zoo", false), FieldDef::new("other", FieldKind::String)];
    let expected =
        "N033: resource `bird`: the reference `other` is taken by field `other`; choose another\n";
    assert_eq!(
        problems(vec![ZOO, ResourceDef { fields: fields.clone().leak(), ..BIRD }]),
        expected
    );
    fields.truncate(1);
    fields[0].reference.as_mut().unwrap().children = Some("name");
    let zoo = ResourceDef { fields: vec![FieldDef::new("name", FieldKind::String)].leak(), ..ZOO };
    let expected =
        "N033: resource `bird`: the reverse `name` is taken by field `name`; choose another\n";
    assert_eq!(problems(vec![zoo, ResourceDef { fields: fields.leak(), ..BIRD }]), expected);
}

#[test]
fn resources_that_are_named_exist() {
    let expected = "N060: resource `bird`: unknown resource `zooo`; did you mean `zoo`?\n";
    assert_eq!(
        problems(vec![ZOO, ResourceDef { parent: under("zooo", "zoo_id"), ..BIRD }]),
        expected
    );
    assert_eq!(problems(vec![ZOO, bird(reference("zoo_id", "zooo", false))]), expected);
}

#[test]
fn nothing_goes_round_in_a_circle() {
    let (a, b) = (
        ResourceDef { parent: under("bird", "bird_id"), ..ZOO },
        ResourceDef { parent: under("zoo", "zoo_id"), ..BIRD },
    );
    let expected = "N061: resource `zoo`: the parents form a cycle: `zoo` → `bird` → `zoo`; remove one `parent`\n";
    assert_eq!(problems(vec![a, b]), expected);
    let zoo = ResourceDef { fields: vec![reference("bird_id", "bird", true)].leak(), ..ZOO };
    let expected = "N062: resource `zoo`: no first member could be created, because each requires another: `zoo` → `bird` → `zoo`; make one of the references optional\n";
    assert_eq!(problems(vec![zoo, b]), expected);
    // The error names the resource whose reference can be made optional, in any order of
    // declaration.
    assert_eq!(
        problems(vec![b, zoo]),
        expected.replace("`zoo` → `bird` → `zoo`", "`bird` → `zoo` → `bird`")
    );
    assert_eq!(
        problems(vec![
            ResourceDef { fields: vec![reference("bird_id", "bird", false)].leak(), ..ZOO },
            b
        ]),
        ""
    );
    let optional = b.parent.map(|parent| ParentDef { required: false, ..parent });
    let b = ResourceDef { parent: optional, routes: Routes::Both, ..b };
    assert_eq!(problems(vec![zoo, b]), "", "a bird without a zoo can be created first");
    assert!(
        problems(vec![a, b]).starts_with("N061: "),
        "the paths of nested URLs would still be endless"
    );
}

#[test]
fn nesting_and_width_have_their_bounds() {
    let name = |at: usize| &*format!("r{at}").leak();
    let resource = |at: usize| {
        let parent = at.checked_sub(1).and_then(|above| under(name(above), "up"));
        ResourceDef { parent, ..ResourceDef::new(name(at), name(at), name(at)) }
    };
    let expected = "N067: resource `r17`: `r17` is nested below more than 16 parents; remove one of the `parent`s\n";
    assert_eq!(problems((0..19).map(resource).collect()), expected);
    let fields: Vec<_> = (0..1001).map(|at| FieldDef::new(name(at), FieldKind::String)).collect();
    let expected = "N023: resource `bird`: `bird` has 1001 fields; a resource has at most 1000, so split it in two\n";
    assert_eq!(problems(vec![ResourceDef { fields: fields.leak(), ..BIRD }]), expected);
    let resources = vec![leaked(ZOO); 65_536].leak();
    let expected = "N098: an API has at most 65535 resources; split it in two\n";
    assert_eq!(problems_of(ApiDef { resources, ..ApiDef::new("") }), expected);
}

/// Mistakes that are possible in a schema file have their own test files. Mistakes that are only
/// possible in a Rust program are tested in these three files.
#[test]
fn each_code_that_only_a_program_gets_is_tested() {
    let tests = [
        include_str!("linked.rs"),
        include_str!("declared.rs"),
        include_str!("../routes/conflicts.rs"),
    ];
    for code in Problem::CODES.iter().filter(|code| ("N090".."N100").contains(*code)) {
        assert!(tests.iter().any(|text| text.contains(&format!("\"{code}"))), "{code} has no test");
    }
}

#[test]
fn fields_that_are_named_exist() {
    let sort = &[SortDef { field: "nam", descending: false }];
    let name = bird(FieldDef::new("name", FieldKind::String));
    let expected = "N065: resource `bird`: unknown field `nam` of `bird`; did you mean `name`?\n";
    assert_eq!(problems(vec![ResourceDef { sort, ..name }]), expected);
    assert_eq!(problems(vec![ResourceDef { unique: &[&["nam", "id"]], ..name }]), expected);
    let json = bird(FieldDef::new("name", FieldKind::Json));
    let sort = &[SortDef { field: "name", descending: false }];
    let expected = "N066: resource `bird`: `name` is `json`, which has no order, so it cannot be in `sort`; remove it\n";
    assert_eq!(problems(vec![ResourceDef { sort, ..json }]), expected);
    for (key, def) in [
        ("unique", ResourceDef { unique: &[&["name"]], ..json }),
        ("indexes", ResourceDef { indexes: &[&["name"]], ..json }),
    ] {
        assert_eq!(problems(vec![def]), expected.replace("`sort`", &format!("`{key}`")));
    }
    let sort = &[SortDef { field: "created_at", descending: false }];
    assert_eq!(problems(vec![ResourceDef { sort, ..name }]), "");
    let hidden = "N065: resource `bird`: unknown field `created_at` of `bird`\n";
    assert_eq!(problems(vec![ResourceDef { sort, timestamps: false, ..name }]), hidden);
}

/// The label of members is a field that people can read.
#[test]
fn a_label_is_a_field_that_people_can_read() {
    let label = Some("name");
    let unfit = |found: &str| {
        let rule = "so it cannot be the label; name a field whose values people can read";
        format!("N053: resource `bird`: `name` is {found}, {rule}\n")
    };
    let name = FieldDef::new("name", FieldKind::String);
    assert_eq!(problems(vec![ResourceDef { label, ..bird(name) }]), "");
    let hidden = FieldDef { mode: FieldMode::Hidden, ..name };
    assert_eq!(problems(vec![ResourceDef { label, ..bird(hidden) }]), unfit("`hidden`"));
    let json = FieldDef::new("name", FieldKind::Json);
    assert_eq!(problems(vec![ResourceDef { label, ..bird(json) }]), unfit("`json`"));
    let unknown = ResourceDef { label: Some("nam"), ..bird(name) };
    let expected = "N065: resource `bird`: unknown field `nam` of `bird`; did you mean `name`?\n";
    assert_eq!(problems(vec![unknown]), expected);
    for label in ["id", "created_at"] {
        assert_eq!(problems(vec![ResourceDef { label: Some(label), ..bird(name) }]), "");
    }
}

#[test]
fn a_type_only_tightens_the_one_it_builds_on() {
    let name = TypeDef { max_length: Some(9), ..TypeDef::new("name", FieldKind::String) };
    let types = |nick: TypeDef| {
        problems_of(ApiDef { types: vec![leaked(name), leaked(nick)].leak(), ..ApiDef::new("") })
    };
    let nick = TypeDef::on("nick", &name);
    assert_eq!(types(nick), "");
    let looser = "N047: type `nick`: `max_length` is `10`, but type `name` has `9`; a field can only tighten its type\n";
    assert_eq!(types(TypeDef { max_length: Some(10), ..nick }), looser);
    let unfit = "N042: type `nick`: `minimum` does not fit type `string`; it is for numbers, dates and times\n";
    assert_eq!(types(TypeDef { minimum: Some(Literal::Integer(1)), ..nick }), unfit);
}

/// The errors in a resource `bird` with this field, without their prefix.
fn field(field: FieldDef) -> String {
    let problems = problems(vec![ZOO, bird(field)]);
    problems.replace("resource `bird`: field `x`: ", "")
}

#[test]
fn constraints_fit_their_kind_and_each_other() {
    let string = FieldDef::new("x", FieldKind::String);
    let integer = FieldDef::new("x", FieldKind::Integer);
    let password = FieldDef::new("x", FieldKind::Password);
    let five = Some(Literal::Integer(5));
    for (def, expected) in [
        (
            FieldDef { minimum: five, ..string },
            "N042: `minimum` does not fit type `string`; it is for numbers, dates and times\n",
        ),
        (
            FieldDef { pattern: Some("a"), ..integer },
            "N042: `pattern` does not fit type `integer`; it is for `string` and `password`\n",
        ),
        (
            FieldDef { max_length: Some(1), ..reference("x", "zoo", false) },
            "N042: `max_length` does not fit a reference; it is for `string` and `password`\n",
        ),
        (
            FieldDef { unique: true, mode: FieldMode::CreateOnly, ..password },
            "N042: `unique` does not fit type `password`; it is for every type but `json` and `password`\n\
             N042: `create_only` does not fit type `password`; it is for every type but `password`\n",
        ),
        (
            FieldDef { minimum: five, maximum: Some(Literal::Integer(4)), ..integer },
            "N043: `minimum` is `5`, above `maximum`, which is `4`; swap or correct them\n",
        ),
        (
            FieldDef { min_length: Some(2), max_length: Some(1), ..string },
            "N043: `min_length` is `2`, above `max_length`, which is `1`; swap or correct them\n",
        ),
        (
            FieldDef { pattern: Some("("), ..string },
            "N046: `(` is not a regular expression: unclosed group\n",
        ),
        (
            FieldDef { choices: &[Literal::Boolean(true)], ..string },
            "N044: `enum` is `true`; it must be text\n",
        ),
        (
            FieldDef {
                default: Some(DefaultDef::Value(Literal::String("ab"))),
                max_length: Some(1),
                ..string
            },
            "N045: `default` is `ab`, longer than `max_length`, which is `1`; change one of them\n",
        ),
        (
            FieldDef {
                default: Some(DefaultDef::Value(Literal::Integer(4))),
                minimum: five,
                ..integer
            },
            "N045: `default` is `4`, below `minimum`, which is `5`; change one of them\n",
        ),
    ] {
        assert_eq!(field(def), expected);
    }
}

#[test]
fn nobody_reads_a_password_whatever_its_definition_says() {
    let password = FieldDef {
        mode: FieldMode::ReadWrite,
        filterable: true,
        sortable: true,
        ..FieldDef::new("x", FieldKind::Password)
    };
    let resources: &[_] = vec![leaked(bird(password)) as &_].leak();
    let model = Model::link(leaked(ApiDef { resources, ..ApiDef::new("") })).unwrap();
    let birds = &model.resources()[0];
    let field = &birds[birds.field("x").unwrap()];
    assert_eq!(
        (field.visible(), field.mode, field.filterable, field.sortable),
        (false, FieldMode::WriteOnly, false, false)
    );
}

#[test]
fn a_field_only_tightens_its_type() {
    let age = TypeDef {
        minimum: Some(Literal::Integer(0)),
        maximum: Some(Literal::Integer(9)),
        ..TypeDef::new("age", FieldKind::Integer)
    };
    let with = |change: fn(FieldDef) -> FieldDef| {
        let def = bird(change(FieldDef::typed("x", leaked(age))));
        let api = ApiDef {
            types: vec![leaked(age)].leak(),
            resources: vec![leaked(def)].leak(),
            ..ApiDef::new("")
        };
        problems_of(api).replace("resource `bird`: field `x`: ", "")
    };
    assert_eq!(with(|def| def), "");
    assert_eq!(with(|def| FieldDef { maximum: Some(Literal::Integer(8)), ..def }), "");
    let looser =
        "N047: `maximum` is `10`, but type `age` has `9`; a field can only tighten its type\n";
    assert_eq!(with(|def| FieldDef { maximum: Some(Literal::Integer(10)), ..def }), looser);
}

#[test]
fn a_pattern_is_compared_as_a_whole() {
    let [of_type, own] = ["[0-9]$", ".*$"].map(|end| &*format!("^{}{end}", "a".repeat(60)).leak());
    let code = TypeDef { pattern: Some(of_type), ..TypeDef::new("code", FieldKind::String) };
    let field = FieldDef {
        type_name: Some("code"),
        pattern: Some(own),
        ..FieldDef::new("code", FieldKind::String)
    };
    let api = ApiDef {
        types: vec![leaked(code)].leak(),
        resources: vec![leaked(bird(field))].leak(),
        ..ApiDef::new("")
    };
    assert!(
        problems_of(api).starts_with("N047: resource `bird`: field `code`: "),
        "{}",
        problems_of(api)
    );
}

#[test]
fn a_name_of_any_letters_that_is_not_declared_is_said() {
    let unknown = "N060: resource `bird`: unknown resource `éléphant`";
    let problems =
        problems(vec![ZOO, ResourceDef { parent: under("éléphant", "elephant_id"), ..BIRD }]);
    assert!(problems.starts_with(unknown), "{problems}");
}

#[test]
fn a_list_has_no_field_without_a_name() {
    let name = bird(FieldDef::new("name", FieldKind::String));
    let expected = "N065: resource `bird`: unknown field `` of `bird`\n";
    assert_eq!(problems(vec![ResourceDef { unique: &[&["", "name"]], ..name }]), expected);
    let sort = &[SortDef { field: "", descending: true }];
    assert_eq!(problems(vec![ResourceDef { sort, ..name }]), expected);
}

/// Problems between resources and problems in fields are reported together.
#[test]
fn mistakes_are_said_at_once() {
    let field = FieldDef {
        minimum: Some(Literal::Integer(2)),
        default: Some(DefaultDef::Value(Literal::Integer(1))),
        ..FieldDef::new("rank", FieldKind::Integer)
    };
    let sort = &[SortDef { field: "rnak", descending: false }];
    let problems = problems(vec![ResourceDef { sort, ..bird(field) }]);
    let codes: Vec<_> = problems.lines().map(|line| &line[..4]).collect();
    assert_eq!(codes, ["N065", "N045"], "{problems}");
}

#[test]
fn twin_fields_are_said_once() {
    let twins = vec![FieldDef::new("a", FieldKind::String), FieldDef::new("a", FieldKind::Date)];
    let expected = "N033: resource `bird`: the column `a` is taken by field `a`; choose another\n";
    assert_eq!(problems(vec![ResourceDef { fields: twins.leak(), ..BIRD }]), expected);
}

/// SQLite ignores the case of letters in the names of tables and columns.
#[test]
fn names_in_sql_are_taken_in_any_case() {
    let twin = ResourceDef { collection: "Zoos", table: "Zoos", ..BIRD };
    let expected =
        "N033: resource `bird`: the table `Zoos` is taken by resource `zoo`; choose another\n";
    assert_eq!(problems(vec![ZOO, twin]), expected);
    for (table, reason) in [
        ("SQLITE_zoos", "tables that begin with `sqlite_` belong to SQLite"),
        ("_Nouns_zoos", "tables that begin with `_nouns` hold the state of the system"),
    ] {
        let expected = format!(
            "N034: resource `bird`: the table `{table}` is reserved: {reason}; choose another\n"
        );
        assert_eq!(problems(vec![ResourceDef { table, ..BIRD }]), expected);
    }
    for (column, reason) in
        [("ID", "every member has one already"), ("Revision", "every row has one already")]
    {
        let expected = format!(
            "N034: resource `bird`: the column `{column}` is reserved: {reason}; choose another\n"
        );
        assert_eq!(problems(vec![bird(FieldDef::new(column, FieldKind::Integer))]), expected);
        let other = FieldDef { column, ..FieldDef::new("other", FieldKind::Integer) };
        assert_eq!(problems(vec![bird(other)]), expected);
        assert_eq!(
            problems(vec![ZOO, ResourceDef { parent: under("zoo", column), ..BIRD }]),
            expected
        );
    }
    let columns = ["name", "Name"].map(|name| FieldDef::new(name, FieldKind::String));
    let expected =
        "N033: resource `bird`: the column `Name` is taken by field `name`; choose another\n";
    assert_eq!(problems(vec![ResourceDef { fields: columns.to_vec().leak(), ..BIRD }]), expected);
}

#[test]
fn there_may_be_as_many_resources_as_there_are_indices() {
    let resources = (0..65_535).map(|at| {
        let name = &*format!("r{at}").leak();
        leaked(ResourceDef { name, collection: name, table: name, ..ZOO })
    });
    assert_eq!(
        problems_of(ApiDef { resources: resources.collect::<Vec<_>>().leak(), ..ApiDef::new("") }),
        ""
    );
}

#[test]
fn slashes_at_the_beginning_of_a_former_path_count_once() {
    let expected =
        "N033: resource `zoo`: the path `//zoos` is taken by resource `zoo`; choose another\n";
    assert_eq!(problems(vec![ResourceDef { moved_from: &["//zoos"], ..ZOO }]), expected);
}
