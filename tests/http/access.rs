//! Access rules: what a caller may read, create, change and delete.

mod attempts;
mod cross_site;
mod defaults;
mod fields;
mod fields_matrix;
mod forms_of_characters;
mod http_caches;
mod jwt;
mod learning;
mod matrix;
mod moments;
mod newsroom;
mod own_credentials;
pub(crate) mod pages;
mod rates;
mod refusals;
mod session_files;
mod sessions;
mod sign_in;
mod tokens;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value as Json, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// The password of all accounts of these tests.
pub(crate) const PASSWORD: &str = "correct horse";

/// Its hash, with parameters that cost little. The server compares it as any other.
const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$eFQ3iR1L/Ggs9a/IxnaM/g$kV4ys18hsLYOt7hz7LDA4d7n2EQ43Psgk2Za6JI5AlE";

/// The value of `Authorization` for an account.
pub(crate) fn basic(login: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{login}:{password}")))
}

/// Adds accounts to the database of a server: their logins with their roles. The ids count from 1.
pub(crate) fn add_accounts(server: &TestServer, accounts: &[(&str, &str)]) {
    for (login, role) in accounts {
        server.elsewhere(&format!(
            "INSERT INTO users (login, password, role) VALUES ('{login}', '{HASH}', '{role}')"
        ));
    }
}

/// Sends a request as an account, or as nobody if the login is empty.
pub(crate) fn ask(client: &mut Client, login: &str, request: &str, body: &Json) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let authorization = basic(login, PASSWORD);
    let mut fields = vec![];
    if !login.is_empty() {
        fields.push(("authorization", authorization.as_str()));
    }
    let body = (!body.is_null()).then(|| body.to_string());
    if body.is_some() {
        fields.push(("content-type", "application/json"));
    }
    client.request(method, target, &fields, body.as_deref().map(str::as_bytes))
}

pub(crate) const BLOG: &str = "
nouns: 1
api: { title: Blog }
auth: { accounts: user, login: login, realm: The blog }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, editor, admin], required: true, default: reader }
    access:
      read: { any: [{ role: admin }, { where: { id: $account.id } }] }
      create: { role: admin }
      update: { any: [{ role: admin }, { where: { id: $account.id } }] }
      delete: { role: admin }
  blog:
    fields: { name: { type: string, required: true }, owner_id: { references: user, required: true } }
    access: { read: { any: [{ where: { owner_id: $account.id } }, { where: { name: Open } }, { role: [editor, admin] }] } }
  article:
    parent: blog
    routes: both
    methods: [list, get, create, replace, update, delete, delete_many]
    fields:
      title: { type: string, required: true }
      author_id: { references: { resource: user, on_delete: cascade }, required: true }
      status: { enum: [draft, published], required: true, default: draft }
    access:
      read: { any: [{ where: { status: published } }, { where: { author_id: $account.id } }, { role: [editor, admin] }] }
      create: { where: { author_id: $account.id } }
      update: { any: [{ role: [editor, admin] }, { where: { author_id: $account.id, status: draft } }] }
      delete: { any: [{ role: admin }, { where: { author_id: $account.id } }] }
  note:
    fields: { text: string }
  tag:
    id: string
    fields: { text: string }
    access: { read: public, create: { role: admin }, update: public }
  page:
    fields: { text: string, visible_from: { type: datetime } }
    access: { read: { where: { visible_from: { lte: $now } } }, create: public, update: { role: admin } }
";

pub(crate) fn blog() -> TestServer {
    blog_with("")
}

/// The blog with further keys under `auth`, such as `, session: { store: file }`.
fn blog_with(keys: &str) -> TestServer {
    let server =
        TestServer::of(&BLOG.replace("realm: The blog", &format!("realm: The blog{keys}")));
    add_accounts(
        &server,
        &[("ann", "reader"), ("bob", "reader"), ("eve", "editor"), ("root", "admin")],
    );
    let rows = "INSERT INTO blogs (name, owner_id) VALUES ('Closed', 1), ('Open', 2);
        INSERT INTO articles (blog_id, title, author_id, status) VALUES
            (1, 'a draft', 1, 'draft'), (1, 'out', 1, 'published'),
            (2, 'b draft', 2, 'draft'), (2, 'b out', 2, 'published');";
    server.elsewhere(rows);
    server
}

/// Signs in with JSON, and returns the response.
pub(crate) fn sign_in(
    client: &mut Client,
    login: &str,
    password: &str,
    fields: &[(&str, &str)],
) -> Answer {
    let body = json!({ "login": login, "password": password }).to_string();
    let fields = [&[("content-type", "application/json")], fields].concat();
    client.request("POST", "/sessions", &fields, Some(body.as_bytes()))
}

/// The cookie that a response sets, as a browser sends it: `session=…`.
pub(crate) fn cookie(answer: &Answer) -> String {
    let set = answer.field("set-cookie").unwrap_or_else(|| panic!("{answer:?}"));
    set.split(';').next().unwrap().to_owned()
}

/// Sends a request with one header field. A body is JSON.
fn with(client: &mut Client, field: (&str, &str), request: &str, body: &Json) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let body = (!body.is_null()).then(|| body.to_string());
    let mut fields = vec![field];
    if body.is_some() {
        fields.push(("content-type", "application/json"));
    }
    client.request(method, target, &fields, body.as_deref().map(str::as_bytes))
}

/// The texts of a field of all items of a page.
fn all(answer: &Answer, field: &str) -> Vec<String> {
    let json = answer.json();
    let items = json["items"].as_array().unwrap_or_else(|| panic!("{json}"));
    items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

fn nothing() -> Json {
    json!(null)
}
