use nouns::{
    Api, Auth, Contact, FieldType, Id, License, Password, Resource, SameSite, Sessions,
    Timestamp,
};
use std::time::Duration;

/// A value of `name`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 1, max_length = 80)]
pub struct Name(pub String);

/// Who may sign in. Administrators add, list and delete accounts, also those of other administrators.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    methods = [list, create, get, update, delete],
    access(
        read = signed_in,
        create(role = admin),
        update(any = [{ role = admin }, { where(id = "$account.id") }]),
        delete(role = admin, not = { where(id = "$account.id") }),
    ),
)]
pub struct User {
    /// The id.
    pub id: Id<Self>,
    /// The field `email`.
    #[resource(unique, max_length = 254, format = email, access(read(role = admin)))]
    pub email: String,
    /// The field `password`.
    #[resource(min_length = 12)]
    pub password: Password,
    /// The field `name`.
    pub name: Name,
    /// The field `role`.
    #[resource(
        default = "reader",
        enum = [reader, author, editor, admin],
        access(write(role = admin)),
    )]
    pub role: String,
}

/// A part of the paper, such as politics.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    access(
        read = public,
        create(role = admin),
        update(role = admin),
        delete(role = admin),
    ),
)]
pub struct Section {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique)]
    pub name: Name,
}

/// A text that goes from draft to review to publication.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    methods = [list, create, get, update, delete, delete_many],
    sort = [-published_at],
    precondition = required,
    access(
        read(
            any = [
                { role = [editor, admin] },
                { where(author_id = "$account.id") },
                { where(status = "published", published_at = { lte = "$now" }) },
            ],
        ),
        create(role = [author, editor, admin], where(status = ["draft", "review"])),
        update(
            any = [
                { role = [editor, admin] },
                { where(author_id = "$account.id", status = ["draft", "review"]) },
            ],
        ),
        delete(
            any = [
                { role = admin },
                { where(author_id = "$account.id", status = "draft") },
            ],
        ),
    ),
)]
pub struct Article {
    /// The id.
    pub id: Id<Self>,
    /// The field `section_id`.
    pub section_id: Id<Section>,
    /// The field `author_id`.
    #[resource(default = "$account.id", read_only)]
    pub author_id: Id<User>,
    /// The field `title`.
    #[resource(index, min_length = 1, max_length = 200)]
    pub title: String,
    /// The field `text`.
    #[resource(max_length = 100000)]
    pub text: String,
    /// The field `status`.
    #[resource(default = "draft", index, enum = [draft, review, published])]
    pub status: String,
    /// The field `published_at`.
    #[resource(access(write(role = [editor, admin])))]
    pub published_at: Option<Timestamp>,
    /// The field `note`.
    #[resource(
        max_length = 1000,
        access(read(role = [author, editor, admin]), write(role = [editor, admin])),
    )]
    pub note: Option<String>,
}

/// What a reader says about an article.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Article,
    routes = both,
    methods = [list, create, get, update, delete],
    access(
        read = public,
        create(all = [signed_in, { where("article.status" = "published") }]),
        update(where(author_id = "$account.id")),
        delete(any = [{ role = [editor, admin] }, { where(author_id = "$account.id") }]),
    ),
)]
pub struct Comment {
    /// The id.
    pub id: Id<Self>,
    /// The `article` that the member belongs to.
    pub article_id: Id<Article>,
    /// The field `author_id`.
    #[resource(default = "$account.id", read_only)]
    pub author_id: Id<User>,
    /// The field `text`.
    #[resource(min_length = 1, max_length = 2000)]
    pub text: String,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("Newsroom")
        .description(
            "Articles that are written, reviewed and published, and comments on them.",
        )
        .contact(
            Contact::new()
                .name("The newsroom")
                .url("https://news.example.org/about")
                .email("desk@news.example.org"),
        )
        .license(License::new("CC BY 4.0").identifier("CC-BY-4.0"))
        .auth(
            Auth::of::<User>()
                .login("email")
                .session(
                    Sessions::new()
                        .ttl(Duration::from_secs(2592000))
                        .idle(Duration::from_secs(604800))
                        .same_site(SameSite::Strict),
                ),
        )
        .field_type::<Name>()
        .resource::<User>()
        .resource::<Section>()
        .resource::<Article>()
        .resource::<Comment>()
}
