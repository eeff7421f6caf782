//! The declaration that a chain of builder calls creates, and the errors of an invalid declaration.

use std::time::Duration;

use nouns_runtime::{
    Api,
    api::{Contact, License, Settings, TlsFiles},
    def::{ApiDef, Case, ContactDef, ExtensionDef, LicenseDef},
    error::Kind,
    model::LinkProblem,
    resource::Resource,
    store::Synchronous,
};

use crate::typed::zoo::{Animal, Zoo};

/// A directory with the files of other tests.
const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/templates");

fn whole() -> Api {
    Api::new("City zoos")
        .version("2.0.0")
        .description("All of them.")
        .contact(
            Contact::new()
                .name("Ada")
                .url("https://zoo.example")
                .email("a@zoo.example")
                .extension("x-a", "1"),
        )
        .license(License::new("MIT").identifier("MIT"))
        .base_path("/api/")
        .public_url("https://zoo.example/city/")
        .case(Case::Camel)
        .listen("127.0.0.1:8080")
        .drain_delay(Duration::from_secs(5))
        .listen_plain("unix:zoo.sock")
        .tls("zoo.pem", "key.pem")
        .database("zoo.db")
        .synchronous(Synchronous::Normal)
        .admin_listen("127.0.0.1:9090")
        .templates(TEMPLATES)
        .extension("x-b", "{\"c\": [1]}")
        .resource::<Zoo>()
        .resource::<Animal>()
}

#[test]
fn every_call_is_a_part_of_the_declaration() {
    let contact = ContactDef {
        name: Some("Ada"),
        url: Some("https://zoo.example"),
        email: Some("a@zoo.example"),
        extensions: &[ExtensionDef { name: "x-a", json: "1" }],
    };
    let expected = ApiDef {
        version: "2.0.0",
        description: Some("All of them."),
        contact: Some(contact),
        license: Some(LicenseDef { name: "MIT", identifier: Some("MIT"), extensions: &[] }),
        base_path: "/api",
        public_url: Some("https://zoo.example/city"),
        case: Case::Camel,
        resources: &[Zoo::DEF, Animal::DEF],
        extensions: &[ExtensionDef { name: "x-b", json: "{\"c\": [1]}" }],
        ..ApiDef::new("City zoos")
    };
    assert_eq!(*whole().def(), expected);
    assert!(
        std::ptr::eq(whole().def(), whole().def()),
        "equal declarations must be the same reference"
    );
    assert_eq!(*Api::new("A").def(), ApiDef::new("A"));
    let listen = Settings {
        listen: Some("127.0.0.1:8080".into()),
        drain_delay: Duration::from_secs(5),
        listen_plain: Some("unix:zoo.sock".into()),
        tls: Some(TlsFiles { certificate: "zoo.pem".into(), key: "key.pem".into() }),
        database: Some("zoo.db".into()),
        synchronous: Synchronous::Normal,
        admin_listen: Some("127.0.0.1:9090".into()),
        templates: Some(TEMPLATES.into()),
    };
    assert_eq!(*whole().settings(), listen);
    let model = whole().build().unwrap();
    assert_eq!(model.resources()[1].fields[4].name.as_ref(), "weightKg");
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let api = Api::new("Zoos")
        .base_path("api")
        .public_url("zoo.example")
        .extension("x-a", "{")
        .extension("x-a", "1")
        .extension("a", "1")
        .contact(Contact::new().extension("x-", "text"))
        .problem(Kind { slug: "internal", ..Kind::INTERNAL })
        .resource::<Animal>();
    let error = api.build().unwrap_err();
    let codes: Vec<_> = error.0.iter().map(LinkProblem::code).collect();
    assert_eq!(
        codes,
        ["N021", "N021", "N097", "N011", "N097", "N097", "N097", "N096", "N060"],
        "{error}"
    );
    let text = error.to_string();
    let first = "N021: `base_path` is `api`; it must be a path like `/api/v1`: `/`, then segments of letters, \
                 digits, `-`, `.`, `_` and `~`\n";
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.ends_with(
            "N060: resource `animal`: unknown resource `zoo`; declare it with `.resource::<Zoo>()`\n"
        ),
        "{text}"
    );
}

#[test]
fn a_resource_is_declared_once() {
    let message =
        Api::new("Zoos").resource::<Zoo>().resource::<Zoo>().build().unwrap_err().to_string();
    assert_eq!(
        message,
        "N011: resource `zoo`: `zoo` is declared a second time here; keep one of the two\n"
    );
}

#[test]
fn a_mistake_in_a_template_is_a_mistake_of_the_declaration() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("home.html"), "{{ titel }}\n{{ versoin }}").unwrap();
    let place = folder.path().to_str().unwrap().to_owned();
    let error = Api::new("Zoos").templates(&place).build().unwrap_err();
    assert_eq!(
        error.to_string().replace(&place, "web"),
        "N099: web/home.html:1: there is no `titel`; did you mean `title`?\n\
         N099: web/home.html:2: there is no `versoin`; did you mean `version`?\n"
    );
}
