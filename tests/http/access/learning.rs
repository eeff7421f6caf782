//! Tests of what a caller can learn: for random rows and random requests, two databases whose
//! visible rows are equal give equal responses, whatever rows are hidden from the caller. So no
//! response depends on a hidden row: no count, order, page, cursor, error or status.
//!
//! Validators of collections are left out. They depend on the tables (docs/access.md).

use std::cell::RefCell;

use proptest::{prelude::*, sample::select, test_runner::TestCaseError};

use super::{PASSWORD, basic, blog};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// A row of the articles: its blog, title, author and status.
type Article = (i64, &'static str, i64, &'static str);

const TITLES: [&str; 4] = ["a", "b", "bc", "z"];

/// The two databases, each with a connection to its server.
struct Pair {
    servers: [TestServer; 2],
    clients: RefCell<[Client; 2]>,
}

impl Pair {
    fn new() -> Self {
        let servers = [blog(), blog()];
        for server in &servers {
            server.elsewhere("INSERT INTO blogs (name, owner_id) VALUES ('Open', 1)");
        }
        let clients = RefCell::new(servers.each_ref().map(TestServer::client));
        Self { servers, clients }
    }

    /// Fills both databases. Visible rows have even ids, hidden ones odd ids.
    fn fill(&self, visible: &[Article], hidden: [&[Article]; 2]) {
        for (server, hidden) in self.servers.iter().zip(hidden) {
            let mut script = "BEGIN; DELETE FROM articles;".to_owned();
            let mut insert = |id: i64, (blog, title, author, status): Article| {
                script += &format!(
                    "INSERT INTO articles (id, blog_id, title, author_id, status, created_at, updated_at)
                     VALUES ({id}, {blog}, '{title}', {author}, '{status}', '2026-11-24T00:00:00.000000Z', '2026-11-24T00:00:00.000000Z');"
                );
            };
            (1..).zip(visible).for_each(|(at, article)| insert(2 * at, *article));
            (0..).zip(hidden).for_each(|(at, article)| insert(2 * at + 1, *article));
            server.elsewhere(&format!("{script} COMMIT"));
        }
    }

    /// Sends a request to both servers as `bob`, and compares the responses. Returns one of them.
    fn ask(&self, request: &str, body: &str) -> Result<Answer, TestCaseError> {
        let (method, target) = request.split_once(' ').unwrap();
        let authorization = basic("bob", PASSWORD);
        let mut fields = vec![("authorization", authorization.as_str()), ("request-id", "same")];
        if !body.is_empty() {
            fields.push(("content-type", "application/json"));
        }
        let [one, other] = self.clients.borrow_mut().each_mut().map(|client| {
            let body = (!body.is_empty()).then_some(body.as_bytes());
            client.request(method, target, &fields, body)
        });
        let shown = |answer: &Answer| {
            let ignored = ["date", "etag", "last-modified"];
            let fields: Vec<_> =
                answer.fields.iter().filter(|(name, _)| !ignored.contains(&&**name)).collect();
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            format!("{} {fields:?} {body}", answer.status_line)
        };
        prop_assert_eq!(shown(&one), shown(&other), "{}", request);
        Ok(one)
    }
}

/// Articles that `bob`, a reader with the id 2, sees: what is published, and his own, in blogs that
/// he sees.
fn visible() -> impl Strategy<Value = Vec<Article>> {
    let article = (2..4_i64, select(&TITLES[..]), 1..4_i64, any::<bool>());
    let article = article.prop_map(|(blog, title, author, is_out)| {
        (blog, title, author, if is_out || author != 2 { "published" } else { "draft" })
    });
    prop::collection::vec(article, 0..8)
}

fn hidden() -> impl Strategy<Value = Vec<Article>> {
    let article = (1..4_i64, select(&TITLES[..]), select(&[1, 3, 4][..]), any::<bool>());
    // In the first blog, which he does not see, nothing is visible.
    let article = article.prop_map(|(blog, title, author, is_out)| {
        (blog, title, author, if is_out && blog == 1 { "published" } else { "draft" })
    });
    prop::collection::vec(article, 0..8)
}

fn parameter() -> impl Strategy<Value = String> {
    let sort = select(&["title", "-title", "status,-id", "author_id,title", "-blog_id"][..]);
    let number = |name: &'static str| (0..6_u32).prop_map(move |value| format!("{name}={value}"));
    let title = select(&TITLES[..]);
    prop_oneof![
        sort.prop_map(|sort| format!("sortby={sort}")),
        number("limit"),
        number("offset"),
        number("author_id"),
        number("id"),
        number("id[lte]"),
        number("id[nin]"),
        title.clone().prop_map(|title| format!("title={title}")),
        title.clone().prop_map(|title| format!("title[starts_with]={title}")),
        title.prop_map(|title| format!("title[gt]={title}")),
        Just("count=true".to_owned()),
        Just("fields=title".to_owned()),
        Just("status=draft".to_owned()),
        Just("per_page=2".to_owned()),
        Just("page=2".to_owned()),
    ]
}

fn query() -> impl Strategy<Value = String> {
    let collection =
        select(&["/articles", "/blogs/1/articles", "/blogs/2/articles", "/blogs/3/articles"][..]);
    (collection, prop::collection::vec(parameter(), 0..4))
        .prop_map(|(collection, parameters)| format!("{collection}?{}", parameters.join("&")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_response_depends_on_a_hidden_row(
        visible in visible(),
        hidden in [hidden(), hidden()],
        queries in prop::collection::vec(query(), 8),
        ids in prop::collection::vec(1..18_u32, 3),
    ) {
        thread_local!(static PAIR: Pair = Pair::new());
        PAIR.with(|pair| -> Result<(), TestCaseError> {
            pair.fill(&visible, [&hidden[0], &hidden[1]]);
            for query in &queries {
                let answer = pair.ask(&format!("GET {query}"), "")?;
                pair.ask(&format!("HEAD {query}"), "")?;
                if answer.status() == 200
                    && let Some(next) = answer.link("next")
                {
                    pair.ask(&format!("GET {next}"), "")?;
                }
            }
            for id in &ids {
                // What `bob` may see has an even id. Any other id is hidden or not there.
                let hidden = 2 * (id / 2) + 1;
                for request in ["GET", "HEAD", "DELETE"] {
                    pair.ask(&format!("{request} /articles/{hidden}"), "")?;
                    pair.ask(&format!("{request} /blogs/1/articles/{hidden}"), "")?;
                }
                pair.ask(&format!("PATCH /articles/{hidden}"), r#"{"title":"x"}"#)?;
                pair.ask(&format!("PATCH /articles/{hidden}"), r#"{"title":1}"#)?;
            }
            pair.ask("DELETE /articles?title=z&status=draft", "")?;
            Ok(())
        })?;
    }
}
