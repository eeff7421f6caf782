use nouns::{
    Api, Auth, Id, Json, Jwt, Password, Resource, SameSite, SessionStore, Sessions,
    Timestamp,
};
use std::time::Duration;

/// One `user`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
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
    #[resource(unique)]
    pub email: String,
    /// The field `password`.
    pub password: Password,
    /// The field `role`.
    #[resource(
        default = "reader",
        enum = [reader, editor, admin],
        access(write(role = admin)),
    )]
    pub role: String,
}

/// One `blog`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Blog {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: String,
    /// The field `owner_id`.
    pub owner_id: Id<User>,
}

/// One `article`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent = Blog,
    access(
        read(
            any = [
                { where(status = "published", visible_from = { lte = "$now" }) },
                { where(author_id = "$account.id") },
                { role = [editor, admin] },
            ],
        ),
        create = signed_in,
        update(
            role = [editor, admin],
            where(
                "blog.owner_id" = "$account.id",
                "writer.role" = { ne = "admin" },
                views = { gte = 0, lt = 1000000 },
                status = ["draft", "published"],
                note = null,
                data = { ne = null },
            ),
            any = [signed_in, public],
            all = [{ all = [signed_in] }, { not = { role = reader } }],
        ),
        delete(
            all = [
                { where(views = 0) },
                { role = admin },
                { where(views = { nin = [1, 2] }) },
            ],
        ),
    ),
)]
pub struct Article {
    /// The id.
    pub id: Id<Self>,
    /// The `blog` that the member belongs to.
    pub blog_id: Id<Blog>,
    /// The field `author_id`.
    #[resource(references(as = writer), default = "$account.id", read_only)]
    pub author_id: Id<User>,
    /// The field `email`.
    #[resource(default = "$account.email")]
    pub email: Option<String>,
    /// The field `status`.
    #[resource(default = "draft", enum = [draft, published])]
    pub status: String,
    /// The field `views`.
    #[resource(default = 0)]
    pub views: i64,
    /// The field `visible_from`.
    pub visible_from: Option<Timestamp>,
    /// The field `note`.
    #[resource(access(read(any = [signed_in, { not = { role = [reader, editor] } }])))]
    pub note: Option<String>,
    /// The field `data`.
    #[resource(access(read = public, write(role = admin, not = { role = reader })))]
    pub data: Option<Json>,
}

/// One `comment`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(access(read = public, create = public))]
pub struct Comment {
    /// The id.
    pub id: Id<Self>,
    /// The field `text`.
    pub text: String,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("Articles")
        .auth(
            Auth::of::<User>()
                .login("email")
                .confirm_within(Duration::from_secs(300))
                .session(
                    Sessions::new()
                        .store(SessionStore::File)
                        .ttl(Duration::from_secs(43200))
                        .idle(Duration::from_secs(1800))
                        .cookie("sid")
                        .domain("example.org")
                        .path("/blog")
                        .secure(true)
                        .http_only(false)
                        .same_site(SameSite::Strict)
                        .url_parameter("sid")
                        .form_field("sid"),
                )
                .jwt(
                    Jwt::new("jwks.json")
                        .issuer("https://id.example.org")
                        .audience("blog")
                        .claim("email", "email")
                        .claim("role", "/realm_access/roles"),
                ),
        )
        .resource::<User>()
        .resource::<Blog>()
        .resource::<Article>()
        .resource::<Comment>()
}
