//! Tests of the web pages of the home document, of collections and of members.

mod links;
mod lookups;

use nouns::{__runtime::Model, codegen::read_yaml, interpret::api_def};
use serde_json::json;

use crate::{
    access::{add_accounts, ask},
    client::{Answer, Client},
    server::TestServer,
};

/// The header field `Accept` that a browser sends when a person follows a link.
const BROWSER: (&str, &str) =
    ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8");

const HTML: &str = "text/html; charset=utf-8";

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    let zoos = json!([
        { "name": "Bergzoo", "city": "Halle", "opened": "1901-05-23" },
        { "name": "Tierpark", "city": "Berlin" },
        { "name": "<b>&\"'</b>" },
    ]);
    client.create("/zoos", &zoos);
    client.create("/animal_types", &json!({ "name": "Otter" }));
    let animal = |name: &str| json!({ "name": name, "animal_type_id": 1, "weight_kg": 4.5 });
    client.create("/zoos/1/animals", &json!([animal("Bella"), animal("Oskar")]));
    (server, client)
}

fn browse(client: &mut Client, target: &str) -> Answer {
    client.request("GET", target, &[BROWSER], None)
}

/// Returns the HTML of a page, and checks its header fields.
#[track_caller]
fn page(client: &mut Client, target: &str) -> String {
    let answer = browse(client, target);
    assert_eq!((answer.status(), answer.field("content-type")), (200, Some(HTML)), "{target}");
    assert_eq!(answer.field("content-security-policy"), Some(POLICY), "{target}");
    assert_eq!(answer.field("x-content-type-options"), Some("nosniff"), "{target}");
    assert!(answer.field("vary").unwrap().contains("accept"), "{target}");
    let html = String::from_utf8(answer.body).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"), "{html}");
    for forbidden in ["<style", " style=", " onclick=", "javascript:", "//fonts", "{{", "{%"] {
        assert!(!html.contains(forbidden), "the page must not contain `{forbidden}`: {html}");
    }
    assert_eq!(html.matches("<script").count(), 1, "the script must be one file: {html}");
    html
}

/// Asserts that a page contains a text, and shows the page otherwise.
#[track_caller]
fn has(html: &str, text: &str) {
    assert!(html.contains(text), "the page must contain `{text}`: {html}");
}

#[test]
fn a_browser_gets_a_page_and_a_program_gets_json() {
    let (_server, mut client) = zoos();
    for target in ["/", "/zoos", "/zoos/1", "/zoos/1/animals", "/zoos/1/animals/1"] {
        page(&mut client, target);
        let chosen = client.request("GET", &format!("{target}?format=html"), &[], None);
        assert_eq!((chosen.status(), chosen.field("content-type")), (200, Some(HTML)));
        assert_eq!(chosen.field("vary"), Some("accept-encoding"), "{target}");
        for accept in [None, Some("*/*"), Some("application/json"), Some("text/html;q=0.5, */*")] {
            let fields: Vec<_> = accept.into_iter().map(|accept| ("accept", accept)).collect();
            let answer = client.request("GET", target, &fields, None);
            assert_eq!(answer.field("content-type"), Some("application/json"), "{target}");
        }
        let json = client.request("GET", &format!("{target}?format=json"), &[BROWSER], None);
        assert_eq!(json.field("content-type"), Some("application/json"), "{target}");
        let head = client.request("HEAD", target, &[BROWSER], None);
        assert_eq!((head.status(), head.field("content-type")), (200, Some(HTML)), "{target}");
    }
    for target in ["/?format=csv", "/?x=1"] {
        assert_eq!(client.get(target).problem(), "invalid-parameter", "{target}");
    }
    // A write has no page, and problems have their own.
    let fields = [BROWSER, ("content-type", "application/json")];
    let written = client.request("POST", "/zoos", &fields, Some(br#"{"name":"New"}"#));
    assert_eq!(written.field("content-type"), Some("application/json"), "by `*/*`");
    assert_eq!(browse(&mut client, "/zoos/99").status(), 404);
}

/// Conformance 62, 65: pages have validators. Those of the formats differ, and a date is none,
/// since a page changes with the program, too.
#[test]
fn a_page_has_an_etag_until_the_data_changes() {
    let (_server, mut client) = zoos();
    for target in ["/", "/zoos", "/zoos/1"] {
        let first = browse(&mut client, target);
        let tag = first.field("etag").unwrap().to_owned();
        assert_ne!(Some(&*tag), client.get(target).field("etag"), "{target}");
        assert_eq!(first.field("last-modified"), None, "{target}");
        for _ in 0..3 {
            let fields = [BROWSER, ("if-none-match", &*tag)];
            let unchanged = client.request("GET", target, &fields, None);
            assert_eq!((unchanged.status(), unchanged.field("etag")), (304, Some(&*tag)));
            assert_eq!(unchanged.field("vary"), first.field("vary"), "{target}");
            assert_eq!(client.get(target).status(), 200, "{target}");
        }
        let json = client.get(target);
        let Some(date) = json.field("last-modified") else { continue };
        let since = [BROWSER, ("if-modified-since", date)];
        assert_eq!(client.request("GET", target, &since, None).status(), 200, "{target}");
        // Without an order of times, a date alone says nothing about a collection.
        let is_unordered = target == "/zoos" && crate::database::is_postgres();
        let expected = if is_unordered { 200 } else { 304 };
        assert_eq!(client.request("GET", target, &since[1..], None).status(), expected, "{target}");
    }
    let tag = browse(&mut client, "/zoos").field("etag").unwrap().to_owned();
    let member = browse(&mut client, "/zoos/1").field("etag").unwrap().to_owned();
    client.patch("/zoos/1", &json!({ "city": "Köln" }));
    for (target, tag) in [("/zoos", tag), ("/zoos/1", member)] {
        let answer = client.request("GET", target, &[BROWSER, ("if-none-match", &tag)], None);
        assert_eq!(answer.status(), 200, "{target}");
        has(&String::from_utf8(answer.body).unwrap(), "Köln");
    }
    // The tag of a page may be the condition of a write.
    let tag = browse(&mut client, "/zoos/1").field("etag").unwrap().to_owned();
    let fields = [("content-type", "application/json"), ("if-match", &*tag)];
    let body = br#"{"city":"Bonn"}"#;
    assert_eq!(client.request("PATCH", "/zoos/1", &fields, Some(body)).status(), 200);
    assert_eq!(client.request("PATCH", "/zoos/1", &fields, Some(body)).status(), 412);
}

#[test]
fn the_files_of_a_page_may_be_cached_for_ever() {
    let (_server, mut client) = zoos();
    let html = page(&mut client, "/zoos");
    let paths: Vec<_> = html.split('"').filter(|text| text.starts_with("/-/pages/")).collect();
    assert_eq!(paths.len(), 3, "{html}");
    for path in paths {
        let file = client.get(path);
        assert_eq!(file.status(), 200, "{path}");
        let forever = "public, max-age=31536000, immutable";
        assert_eq!(file.field("cache-control"), Some(forever), "{path}");
        assert_eq!(file.field("x-content-type-options"), Some("nosniff"), "{path}");
        let media_type = file.field("content-type").unwrap();
        let known = ["text/css; charset=utf-8", "text/javascript; charset=utf-8", "image/svg+xml"];
        assert!(known.contains(&media_type), "{media_type}");
        let tag = file.field("etag").unwrap();
        assert_eq!(client.request("GET", path, &[("if-none-match", tag)], None).status(), 304);
        let (folder, name) = path.rsplit_once('/').unwrap();
        let old = folder.replace(|letter: char| letter.is_ascii_digit(), "f");
        assert_eq!(client.get(&format!("{old}/{name}")).problem(), "not-found", "{path}");
        assert_eq!(client.post(path, &json!({})).status(), 405, "{path}");
    }
}

#[test]
fn no_value_of_a_member_is_read_as_html() {
    let (_server, mut client) = zoos();
    let evil = "<b>&\"'</b>";
    client.create("/zoos", &json!({ "name": "x", "city": evil }));
    let filter = "/zoos?city=%3Cb%3E%26%22%27%3C%2Fb%3E&name[contains]=x&sortby=name&limit=1";
    for target in ["/zoos", "/zoos/3", filter] {
        let html = page(&mut client, target);
        assert!(!html.contains("<b>") && !html.contains("&\""), "{target}: {html}");
        has(&html, "&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;");
    }
}

#[test]
fn a_table_has_links_to_sort_to_page_and_to_export() {
    let (_server, mut client) = zoos();
    let html = page(&mut client, "/zoos?city[null]=false&sortby=name&limit=1&format=html");
    let kept = "city%5Bnull%5D=false&amp;";
    has(&html, "aria-sort=\"ascending\"");
    has(
        &html,
        &format!("<a href=\"/zoos?{kept}limit=1&amp;format=html&amp;sortby=-name\">name</a>"),
    );
    has(
        &html,
        &format!("<a href=\"/zoos?{kept}limit=1&amp;format=html&amp;sortby=city\">city</a>"),
    );
    has(&html, &format!("href=\"/zoos?{kept}sortby=name&amp;format=csv\""));
    has(&html, "city is present <a href=\"/zoos?sortby=name&amp;limit=1&amp;format=html\"");
    has(&html, "<a href=\"/zoos/1\">1</a>");
    assert!(!html.contains("rel=\"prev\""), "{html}");
    let next = html.split("<a rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let next = next.replace("&amp;", "&");
    assert!(next.starts_with("/zoos?city%5Bnull%5D=false&sortby=name&format=html&limit=1&after="));
    let html = page(&mut client, &next);
    has(&html, ">Tierpark</a></td>");
    has(&html, "rel=\"prev\"");
    assert!(!html.contains("rel=\"next\""), "{html}");
    has(&page(&mut client, "/zoos?count=true&limit=2"), "2 of 3 members");
    has(&page(&mut client, "/zoos?city=Nowhere"), "No member matches the filter.");
    has(&page(&mut client, "/admin"), "There are no members here.");
}

#[test]
fn a_missing_number_is_in_the_column_of_numbers() {
    let (_server, mut client) = zoos();
    client.create("/zoos/1/animals", &json!({ "name": "Egon", "animal_type_id": 1 }));
    let html = page(&mut client, "/zoos/1/animals?fields=name,weight_kg,born");
    has(&html, "<td class=\"number\">4.5</td>");
    has(&html, "<td class=\"none number\">–</td>");
    has(&html, "<td class=\"none\">–</td>");
}

#[test]
fn the_filter_form_has_an_input_by_the_type_of_each_field() {
    let (_server, mut client) = zoos();
    let html = page(&mut client, "/zoos?name[contains]=erg&opened[gte]=1900-01-01&sortby=-name");
    has(&html, "<form action=\"/zoos\" method=\"get\"");
    has(&html, "<input type=\"hidden\" name=\"sortby\" value=\"-name\">");
    has(&html, "<input type=\"search\" name=\"name[contains]\" value=\"erg\"");
    has(&html, "<input type=\"date\" name=\"opened[gte]\" value=\"1900-01-01\"");
    has(&html, "<input type=\"date\" name=\"opened[lte]\" value=\"\"");
    has(&html, "Bergzoo");
    assert!(!html.contains("Tierpark"), "{html}");
    let animals = page(&mut client, "/zoos/1/animals?name=Bella&name=Oskar");
    has(&animals, "<input type=\"hidden\" name=\"name\" value=\"Bella\">");
    has(&animals, "<input type=\"hidden\" name=\"name\" value=\"Oskar\">");
    has(&animals, "inputmode=\"decimal\" name=\"weight_kg[gte]\"");
    assert!(!animals.contains("name=\"zoo_id\""), "all members have the same parent: {animals}");
    assert!(!animals.contains(">zoo_id</a></th>"), "{animals}");
    has(&page(&mut client, "/zoos/1/animals?fields=zoo_id"), ">zoo_id</a></th>");
}

/// A form sends each of its inputs. The empty ones are left out, but only for a page: in JSON, an
/// empty value is a value.
#[test]
fn a_page_leaves_out_the_empty_inputs_of_its_form() {
    let (_server, mut client) = zoos();
    let target = "/zoos?name[contains]=erg&city[contains]=&opened[gte]=&opened[lte]=";
    let answer = browse(&mut client, target);
    assert_eq!((answer.status(), answer.field("vary")), (302, Some("accept")));
    assert_eq!(answer.field("location"), Some("/zoos?name%5Bcontains%5D=erg"));
    let head = client.request("HEAD", target, &[BROWSER], None);
    assert_eq!((head.status(), head.field("location")), (302, answer.field("location")));
    let chosen = client.get("/zoos?name=&format=html&limit=2");
    assert_eq!(
        (chosen.status(), chosen.field("location")),
        (302, Some("/zoos?format=html&limit=2"))
    );
    assert_eq!(browse(&mut client, "/zoos?city=").field("location"), Some("/zoos"));
    for (target, to) in [
        ("/zoos?city=&%66ormat=html", "/zoos?%66ormat=html"),
        ("/zoos?city=&format=%68tml", "/zoos?format=%68tml"),
        ("/zoos?cit%79=&format=html&name[eq]=", "/zoos?format=html&name%5Beq%5D="),
    ] {
        let location = client.get(target).field("location").map(str::to_owned);
        assert_eq!(location.as_deref(), Some(to), "{target}");
    }
    let json = client.request("GET", "/zoos?city=&%66ormat=json", &[BROWSER], None);
    assert_eq!(json.status(), 200, "the URL chooses JSON");
    assert_eq!(browse(&mut client, "/zoos?city").status(), 200);
    assert_eq!(client.get("/zoos?opened[gte]=").status(), 400);
    assert_eq!(client.get("/zoos?city=").json()["items"], json!([]));
    let json = client.request("GET", "/zoos?city=&format=json", &[BROWSER], None);
    assert_eq!(json.status(), 200);
}

/// A wrong parameter is refused at once, not after a redirect, and one that is no filter is never
/// left out. The empty string of `ne` is a value, which no input of the form has.
#[test]
fn a_page_leaves_out_empty_filters_and_nothing_else() {
    let (_server, mut client) = zoos();
    for (target, wrong) in [
        ("/zoos?city=&after=", "after"),
        ("/zoos?city=&limit=", "limit"),
        ("/zoos?sortby=&city=", "sortby"),
        ("/zoos?fields=", "fields"),
        ("/zoos?city=&expand=", "expand"),
        ("/zoos?city=&filter=", "filter"),
        ("/zoos?city=&town=", "town"),
        ("/zoos?city=&opened[like]=", "opened[like]"),
        ("/zoos?opened[contains]=", "opened[contains]"),
        ("/zoos?city=&opened[lt]=", "opened[lt]"),
        ("/zoos?city=&opened=soon", "opened"),
        ("/zoos?city=&limit=0", "limit"),
        ("/zoos?city=&sortby=town", "sortby"),
        ("/zoos?=", ""),
    ] {
        let answer = browse(&mut client, target);
        assert_eq!((answer.status(), answer.field("location")), (400, None), "{target}");
        let (path, query) = target.split_once('?').unwrap();
        let filters_only = query.replace("city=&", "").replace("&city=", "");
        let json = client.get(&format!("{path}?{filters_only}"));
        assert_eq!(json.json()["errors"][0]["parameter"], wrong, "{target}");
    }
    let broken = browse(&mut client, "/zoos?city=&%ff=");
    assert_eq!((broken.status(), broken.field("location")), (400, None));
    let target = "/zoos?filter[city]=&filter[name][contains]=&filter[city][eq]=";
    let answer = browse(&mut client, target);
    assert_eq!(answer.field("location"), Some("/zoos?filter%5Bcity%5D%5Beq%5D="));
    let html = page(&mut client, "/zoos?city[ne]=");
    has(&html, "<input type=\"hidden\" name=\"city[ne]\" value=\"\">");
    has(&html, "<li>city is not empty <a");
    has(&html, "Tierpark");
}

/// A form may have more inputs than a query may have parameters.
#[test]
fn a_page_leaves_out_each_input_of_its_form() {
    let numbers = (0..60).map(|at| format!("number_{at}: integer")).collect::<Vec<_>>().join(", ");
    let server = TestServer::of(&format!(
        "{{ nouns: 1, resources: {{
           kind: {{ fields: {{ name: string }} }},
           thing: {{ fields: {{
             limit: integer, size: number, price: {{ type: decimal, scale: 2 }},
             day: date, hour: time, at: datetime, text: string, code: uuid, is_new: boolean,
             color: {{ enum: [red, blue] }}, kind_id: {{ references: kind }}, {numbers} }} }} }} }}"
    ));
    let mut client = server.client();
    let html = page(&mut client, "/things");
    let (_, form) = html.split_once("<form action=\"/things\" method=\"get\"").unwrap();
    let (form, _) = form.split_once("</form>").unwrap();
    let names: Vec<_> = form
        .split('<')
        .filter(|tag| !tag.contains("checkbox"))
        .filter_map(|tag| tag.split_once(" name=\"")?.1.split_once('"'))
        .map(|(name, _)| name)
        .collect();
    assert!(names.len() > 120 && names.contains(&"filter[limit][gte]"), "{names:?}");
    let query = names.iter().map(|name| format!("{name}=")).collect::<Vec<_>>().join("&");
    let answer = browse(&mut client, &format!("/things?{query}"));
    assert_eq!((answer.status(), answer.field("location")), (302, Some("/things")));
    let answer = browse(&mut client, &format!("/things?{query}&text[eq]=&limit=3"));
    assert_eq!(answer.field("location"), Some("/things?text%5Beq%5D=&limit=3"));
}

/// A link in each heading would repeat the query as often as there are columns.
#[test]
fn a_page_with_a_long_query_has_one_form_instead_of_many_links() {
    let (_server, mut client) = zoos();
    let long: Vec<_> = (0..60).map(|at| format!("name={at}{}", "x".repeat(120))).collect();
    let query = [&long[..], &["name=Tierpark".to_owned(), "limit=5".to_owned()]].concat().join("&");
    let html = page(&mut client, &format!("/zoos?{query}&sortby=name"));
    has(&html, "<button form=\"sort\" name=\"sortby\" value=\"-name\">name</button>");
    has(&html, "<form id=\"sort\" action=\"/zoos\" method=\"get\">");
    has(&html, "Tierpark");
    let size = html.len();
    assert!(size < 12 * query.len(), "the page has {size} bytes for {}", query.len());
    let sorted = page(&mut client, &format!("/zoos?{query}&sortby=-name"));
    has(&sorted, "aria-sort=\"descending\"");
    let short = page(&mut client, "/zoos?name=Tierpark");
    assert!(!short.contains("form=\"sort\""), "{short}");
}

#[test]
fn the_filter_form_finds_the_empty_string() {
    let (_server, mut client) = zoos();
    client.create("/zoos", &json!({ "name": "Nowhere", "city": "" }));
    let html = page(&mut client, "/zoos?city[eq]=&sortby=name");
    has(&html, "name=\"city[eq]\" value=\"\" checked");
    has(&html, "<li>city is empty <a");
    has(&html, "Nowhere");
    assert!(!html.contains("Tierpark"), "{html}");
    let sent = "/zoos?name[contains]=&city[contains]=&city%5Beq%5D=&opened[gte]=&opened[lte]=";
    let answer = browse(&mut client, sent);
    assert_eq!(answer.field("location"), Some("/zoos?city%5Beq%5D="));
    has(&page(&mut client, "/zoos"), "name=\"city[eq]\" value=\"\" aria-label=\"city is empty\"");
    let countries = TestServer::of(
        "{ nouns: 1, resources: { country: { fields: { code: { type: string, min_length: 1 } } } } }",
    );
    let html = page(&mut countries.client(), "/countries");
    assert!(!html.contains("code[eq]"), "it cannot be empty: {html}");
}

#[test]
fn a_page_shows_its_request_as_a_command_line() {
    let (_server, mut client) = zoos();
    let base = "http://zoo.localhost";
    has(
        &page(&mut client, "/zoos/1"),
        &format!("<code id=\"curl\">curl {}</code>", escaped(&format!("{base}/zoos/1"))),
    );
    let html = page(&mut client, "/zoos?city=%27$(x)&format=html&limit=2");
    let line = format!("curl '{base}/zoos?city=%27%24%28x%29&limit=2'");
    has(&html, &format!("<code id=\"curl\">{}</code>", escaped(&line)));
    has(&html, "href=\"/zoos?city=%27%24%28x%29&amp;limit=2&amp;format=json\"");
    has(&page(&mut client, "/zoos/1?fields=name"), "href=\"/zoos/1?fields=name&amp;format=json\"");
    // Another host gets another page, also where responses are cached.
    for _ in 0..3 {
        for host in ["localhost", "127.0.0.1"] {
            let head = format!("GET /zoos HTTP/1.1\r\nhost: {host}\r\naccept: text/html\r\n\r\n");
            let html = String::from_utf8(client.raw(head.as_bytes(), false).body).unwrap();
            has(&html, &escaped(&format!("curl http://{host}/zoos")));
        }
    }
    let yaml = "{ nouns: 1, api: { base_path: /v1, public_url: 'https://zoo.example/city' }, \
                resources: { zoo: { fields: { name: string } } } }";
    let server = TestServer::of(yaml);
    let html = page(&mut server.client(), "/v1/zoos");
    has(&html, &escaped("curl https://zoo.example/city/v1/zoos"));
    has(&html, "<link rel=\"stylesheet\" href=\"/city/v1/-/pages/");
}

/// Escapes a text as the templates do.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('\'', "&#39;")
}

#[test]
fn a_member_has_links_along_its_relations() {
    let (_server, mut client) = zoos();
    let animal = page(&mut client, "/zoos/1/animals/1");
    has(&animal, "<a href=\"/animal_types/1\">Otter</a>");
    has(&animal, "<a href=\"/zoos/1\">Bergzoo</a>");
    has(&animal, "The day of its birth if we know it.");
    has(&animal, "<a href=\"/zoos/1/animals/1\" aria-current=\"page\">1</a>");
    let zoo = page(&mut client, "/zoos/1");
    has(&zoo, "<a href=\"/zoos/1/animals\">Animals</a>");
    has(&zoo, "<title>Bergzoo – City zoos</title>");
    has(&zoo, "<h1>Bergzoo <small>Zoo 1</small></h1>");
    has(&page(&mut client, "/zoos/1?fields=city"), "<h1>Zoo 1</h1>");
    has(&page(&mut client, "/zoos"), "<a href=\"/zoos/1\">Bergzoo</a>");
    has(&animal, "<h1>Animal 1</h1>");
    let yaml = "
nouns: 1
resources:
  team: { id: string, fields: { name: string } }
  match: { fields: { home_id: { references: team }, away_id: { references: team } } }
";
    let server = TestServer::of(yaml);
    let mut client = server.client();
    client.put("/teams/a%20b", &json!({ "name": "x" }));
    let team = page(&mut client, "/teams/a%20b");
    has(&team, "<a href=\"/matches?home_id=a%20b\">Matches</a> <small>by home_id</small>");
    has(&team, "<a href=\"/matches?away_id=a%20b\">Matches</a> <small>by away_id</small>");
    client.create("/matches", &json!({ "home_id": "a b" }));
    has(&page(&mut client, "/matches?home_id=a%20b"), "<a href=\"/teams/a%20b\">a b</a>");
}

#[test]
fn the_home_page_lists_the_resources_and_draws_their_relations() {
    let (_server, mut client) = zoos();
    let home = page(&mut client, "/");
    has(&home, "<a class=\"name\" href=\"/zoos\">Zoos</a>");
    has(&home, "<span class=\"name\">Animals</span>");
    has(&home, "<code>/zoos/{zoo_id}/animals</code>");
    has(&home, "<title>animal_type_id</title>");
    assert_eq!(home.matches("<rect ").count(), 4, "one box for each resource: {home}");
    let empty = TestServer::of("{ nouns: 1, resources: { zoo: { fields: { name: string } } } }");
    assert!(!page(&mut empty.client(), "/").contains("<svg"), "no relations, no diagram");
}

/// A page has no more than its reader may read.
#[test]
fn a_page_follows_the_access_rules() {
    let server = TestServer::of(
        "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, admin], required: true, default: reader }
    access: { read: { role: admin }, create: public, update: { role: admin }, delete: { role: admin } }
  club:
    fields:
      name: { type: string, required: true }
      budget: { type: integer, access: { read: { role: admin }, write: signed_in } }
    access: { read: public, create: signed_in, update: signed_in, delete: signed_in }
  debt:
    parent: club
    fields: { amount: integer }
    access: { read: { role: admin }, create: { role: admin }, update: { role: admin }, delete: { role: admin } }
  court:
    fields: { name: string }
    access: { read: public, create: signed_in, update: signed_in, delete: signed_in }
  fee:
    parent: court
    fields: { amount: integer }
    access: { read: { role: admin }, create: { role: admin }, update: { role: admin }, delete: { role: admin } }
",
    );
    add_accounts(&server, &[("root", "admin")]);
    let mut client = server.client();
    ask(&mut client, "root", "POST /clubs", &json!({ "name": "Rowing", "budget": 4711 }));
    for target in ["/clubs", "/clubs/1"] {
        let html = page(&mut client, target);
        has(&html, "Rowing");
        assert!(!html.contains("budget") && !html.contains(">4711<"), "{target}: {html}");
        assert!(!html.contains("Debts"), "{target}: {html}");
    }
    let refused = browse(&mut client, "/users");
    assert_eq!((refused.status(), refused.field("content-type")), (401, Some(HTML)));
    let all = ask(&mut client, "root", "GET /clubs/1?format=html", &serde_json::Value::Null);
    let html = String::from_utf8(all.body).unwrap();
    has(&html, ">4711<");
    has(&html, "<a href=\"/clubs/1/debts\">Debts</a>");
    // Two readers see the same fields and other links, so their pages have two tags.
    let court = ask(&mut client, "root", "POST /courts", &json!({ "name": "North" }));
    assert_eq!(court.status(), 201);
    let all = ask(&mut client, "root", "GET /courts/1?format=html", &serde_json::Value::Null);
    let public = client.get("/courts/1?format=html");
    assert_ne!(all.body, public.body);
    assert_ne!(all.field("etag"), public.field("etag"));
}

/// A page is small enough for a worker, whatever the values of the member are.
#[test]
fn a_page_of_a_member_has_the_beginning_of_a_long_text() {
    let yaml = "
nouns: 1
resources:
  doc: { fields: { title: { type: string, required: true, unique: true }, text: string } }
";
    let server = TestServer::of(yaml);
    let mut client = server.client();
    let long = "<".repeat(150_000);
    client.create("/docs", &json!({ "title": long, "text": long }));
    let html = page(&mut client, "/docs/1");
    assert!(html.len() < 120_000, "{}", html.len());
    has(&html, &format!("<h1>{}…", "&lt;".repeat(100)));
    assert_eq!(client.get("/docs/1").json()["text"], json!(long));
}

/// Each shipped schema has pages, also without a member.
#[test]
fn every_resource_of_the_shipped_schemas_has_a_page() {
    for name in ["zoo", "league", "newsroom"] {
        let file = format!("schemas/{name}.yaml");
        let text = std::fs::read_to_string(&file).unwrap();
        let schema = read_yaml(&file, &text).unwrap();
        let model = Model::link(api_def(&schema)).unwrap();
        let base = model.urls.link("/");
        let server = TestServer::of(&text);
        let mut client = server.client();
        let home = client.request("GET", &base, &[BROWSER], None);
        assert_eq!(home.status(), 200, "{name}: {home:?}");
        let html = String::from_utf8(home.body).unwrap();
        for link in html.split("<a class=\"name\" href=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            let status = browse(&mut client, link).status();
            assert!([200, 401].contains(&status), "{link}: {status}");
        }
    }
}
