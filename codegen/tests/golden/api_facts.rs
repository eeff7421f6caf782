use nouns::{Api, Case, Contact, Id, License, Resource, Synchronous};

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `full_name`.
    pub full_name: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new(r#"City "zoos""#)
        .version("2.1.0-beta")
        .description("Zoos.\n\nMany of them.")
        .contact(
            Contact::new()
                .name("The zoo office")
                .url("https://zoo.example.org/contact")
                .email("office@zoo.example.org"),
        )
        .license(License::new("Apache 2.0").identifier("Apache-2.0"))
        .base_path("/api/v2")
        .public_url("https://zoo.example.org:8443")
        .case(Case::Camel)
        .listen("0.0.0.0:8080")
        .database("data/zoo.db")
        .synchronous(Synchronous::Normal)
        .resource::<Zoo>()
}
