//! Mistakes in accounts and access rules that a Rust program declares. Their messages are those of
//! a schema file.

use nouns_runtime::{
    Model,
    def::{
        AccessDef, ApiDef, AuthDef, Case, DefaultDef, FieldDef, FieldKind, Literal, OperandDef,
        ReferenceDef, ResourceDef, RuleDef, SessionDef, TestDef, TestOp,
    },
};

use crate::store::bed::leaked;

const USER: ResourceDef = ResourceDef {
    fields: &[
        FieldDef { required: true, unique: true, ..FieldDef::new("login", FieldKind::String) },
        FieldDef::new("password", FieldKind::Password),
        FieldDef {
            choices: &[Literal::String("reader"), Literal::String("admin")],
            ..FieldDef::new("role", FieldKind::String)
        },
        FieldDef::new("age", FieldKind::Integer),
    ],
    ..ResourceDef::new("user", "users", "User")
};

const AUTH: AuthDef = AuthDef { role: Some("role"), ..AuthDef::new("user", "login") };

fn problems(auth: AuthDef, rule: RuleDef) -> String {
    let author = ReferenceDef {
        resource: "user",
        alias: "author",
        on_delete: nouns_runtime::def::OnDelete::Restrict,
        children: None,
    };
    let fields = vec![
        FieldDef::new("title", FieldKind::String),
        FieldDef::new("data", FieldKind::Json),
        FieldDef { reference: Some(author), ..FieldDef::new("author_id", FieldKind::Reference) },
    ];
    let post = ResourceDef {
        fields: fields.leak(),
        access: AccessDef { read: Some(rule), ..AccessDef::EMPTY },
        ..ResourceDef::new("post", "posts", "Post")
    };
    let resources: Vec<&'static ResourceDef> = vec![&USER, leaked(post)];
    let api = ApiDef { auth: Some(auth), resources: resources.leak(), ..ApiDef::new("Blog") };
    Model::link(leaked(api)).map_or_else(|error| error.to_string(), |_| String::new())
}

const fn test(path: &'static str, op: TestOp, operand: OperandDef) -> RuleDef {
    RuleDef::Test(TestDef { path, op, operand })
}

const TEXT: OperandDef = OperandDef::Value(Literal::String("x"));

#[test]
fn a_rule_names_what_there_is() {
    let of = |path, op, operand| problems(AUTH, test(path, op, operand));
    assert_eq!(of("title", TestOp::Contains, TEXT), "");
    assert_eq!(of("author.login", TestOp::Eq, OperandDef::Account("login")), "");
    assert_eq!(of("author_id", TestOp::Ne, OperandDef::Account("id")), "");
    assert_eq!(of("data", TestOp::Eq, OperandDef::Null), "");
    for (found, expected) in [
        (
            of("tittle", TestOp::Eq, TEXT),
            "N065: resource `post`: unknown field `tittle` of `post`; did you mean `title`?\n",
        ),
        (
            of("authr.login", TestOp::Eq, TEXT),
            "N100: resource `post`: `post` has no parent or reference `authr`; did you mean `author`?\n",
        ),
        (
            of("data", TestOp::Eq, TEXT),
            "N101: resource `post`: `data` is `json`, which a rule can only test for `null`\n",
        ),
        (
            of("author.password", TestOp::Eq, TEXT),
            "N101: resource `post`: `author.password` is `password`, which a rule can only test for `null`\n",
        ),
        (
            of("title", TestOp::Eq, OperandDef::Account("age")),
            "N102: resource `post`: `title` is `string`, but `$account.age` is `integer`; compare fields of one type\n",
        ),
        (
            of("title", TestOp::Eq, OperandDef::Account("ag")),
            "N065: resource `post`: unknown field `ag` of `user`; did you mean `age`?\n",
        ),
        (
            of("title", TestOp::Lt, OperandDef::Now),
            "N042: resource `post`: `$now` does not fit type `string`; it is for `date`, `time` and `datetime`\n",
        ),
        (
            of("author.age", TestOp::StartsWith, TEXT),
            "N042: resource `post`: `starts_with` does not fit type `integer`; it is for `string`\n",
        ),
        (
            problems(AUTH, RuleDef::Role(&["reder"])),
            "N104: resource `post`: `reder` is no role, because `role` cannot have it; did you mean `reader`?\n",
        ),
        (
            problems(AuthDef { role: None, ..AUTH }, RuleDef::Role(&["reader"])),
            "N103: resource `post`: `role: reader` needs roles, but `user` has no field for them; add the field, or name it with `role` in `auth`\n",
        ),
    ] {
        assert_eq!(found, expected);
    }
    let wrong = of("author.age", TestOp::Eq, TEXT);
    assert!(wrong.starts_with("N044: resource `post`: `author.age` is"), "{wrong}");
}

#[test]
fn a_default_is_a_value_that_the_account_has() {
    let of = |auth: Option<AuthDef>, name: &'static str| {
        let field = FieldDef {
            default: Some(DefaultDef::Account(name)),
            ..FieldDef::new("team", FieldKind::String)
        };
        let team =
            ResourceDef { fields: vec![field].leak(), ..ResourceDef::new("team", "teams", "Team") };
        let resources: Vec<&'static ResourceDef> = vec![&USER, leaked(team)];
        let api = ApiDef { auth, resources: resources.leak(), ..ApiDef::new("Blog") };
        Model::link(leaked(api)).map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(of(Some(AUTH), "login"), "");
    for (found, expected) in [
        (
            of(Some(AUTH), "age"),
            "N108: resource `team`: `team` is of type `string`, so its default cannot be `$account.age`, which is of type `integer`\n",
        ),
        (
            of(Some(AUTH), "logn"),
            "N065: resource `team`: unknown field `logn` of `user`; did you mean `login`?\n",
        ),
        (
            of(None, "login"),
            "N109: resource `team`: field `team`: the default `$account.login` needs accounts; add `auth` with `accounts`, or use another default\n",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn accounts_have_the_fields_that_they_need() {
    let of = |auth: AuthDef| problems(auth, RuleDef::Public);
    assert_eq!(of(AUTH), "");
    for (auth, expected) in [
        (
            AuthDef { accounts: "usr", ..AUTH },
            "N060: unknown resource `usr`; did you mean `user`?\n",
        ),
        (AuthDef { login: "name", ..AUTH }, "N065: unknown field `name` of `user`\n"),
        (
            AuthDef { login: "age", ..AUTH },
            "N105: `age` cannot be the login; make it a `string` with `required` and `unique`\n",
        ),
        (
            AuthDef { password: "age", ..AUTH },
            "N106: `age` is `integer`; the password must be of type `password`\n",
        ),
        (
            AuthDef { role: Some("age"), ..AUTH },
            "N107: `age` is `integer`; a role must be of type `string`\n",
        ),
    ] {
        assert_eq!(of(auth), expected);
    }
}

/// The server removes the secret of a session from requests before user code sees them.
#[test]
fn the_secret_of_a_session_has_a_name_of_its_own() {
    let of = |case: Case, session: SessionDef| {
        let resource = ResourceDef {
            fields: vec![FieldDef::new("fur_kind", FieldKind::String)].leak(),
            ..ResourceDef::new("ape", "apes", "Ape")
        };
        let resources: Vec<&'static ResourceDef> = vec![&USER, leaked(resource)];
        let auth = Some(AuthDef { session, ..AUTH });
        let api = ApiDef { auth, case, resources: resources.leak(), ..ApiDef::new("Zoo") };
        Model::link(leaked(api)).map_or_else(|error| error.to_string(), |_| String::new())
    };
    let url = |name| SessionDef { url_parameter: Some(name), ..SessionDef::DEFAULT };
    let form = |name| SessionDef { form_field: Some(name), ..SessionDef::DEFAULT };
    assert_eq!(of(Case::Snake, url("sid")), "");
    assert_eq!(of(Case::Snake, url("furKind")), "");
    assert_eq!(of(Case::Camel, url("fur_kind")), "");
    for (case, session, named) in [
        (
            Case::Snake,
            url("fur_kind"),
            "`url_parameter` cannot be `fur_kind`, which is a field of `ape`",
        ),
        (
            Case::Camel,
            url("furKind"),
            "`url_parameter` cannot be `furKind`, which is a field of `ape`",
        ),
        (
            Case::Snake,
            form("password"),
            "`form_field` cannot be `password`, which is a field of `user`",
        ),
        (Case::Snake, url("id"), "`url_parameter` cannot be `id`, which is a field of `user`"),
        (
            Case::Snake,
            form("persistent"),
            "`form_field` cannot be `persistent`, which is a field of the form that signs in",
        ),
    ] {
        let found = of(case, session);
        assert!(found.starts_with(&format!("N116: {named}")), "{found}");
    }
}
