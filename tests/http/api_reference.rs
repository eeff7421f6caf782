//! Tests of the API reference at `/-/docs`, which Swagger UI renders in the browser.

use flate2::read::GzDecoder;
use nouns::{__runtime::Model, codegen::read_yaml, interpret::api_def};
use serde_json::Value;

use crate::{client::Client, server::TestServer};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns the HTML of the page.
fn page(client: &mut Client, target: &str) -> String {
    let answer = client.get(target);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.field("content-security-policy"), Some(POLICY));
    String::from_utf8(answer.body).unwrap()
}

/// The files that a page names: those below `/-/pages/`.
fn files(html: &str) -> Vec<&str> {
    let links = html.split(['"', '\'']).filter(|text| text.contains("/-/pages/"));
    links.collect()
}

#[test]
fn the_page_is_a_document_of_the_interface() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let html = page(&mut client, "/-/docs");
    assert!(html.contains(r#"data-openapi="/openapi.json" data-base="""#), "{html}");
    let tag = client.get("/-/docs").field("etag").unwrap().to_owned();
    let again = client.request("GET", "/-/docs", &[("if-none-match", &tag)], None);
    assert_eq!((again.status(), again.body.len()), (304, 0));
    let head = client.request("HEAD", "/-/docs", &[], None);
    assert_eq!(head.field("content-length"), Some(html.len().to_string().as_str()));
    assert_eq!(client.get("/-/docs?x=1").problem(), "invalid-parameter");
    assert_eq!(client.post("/-/docs", &Value::Null).problem(), "method-not-allowed");
    assert_eq!(client.get("/").link("service-doc").as_deref(), Some("/-/docs"));
    let home = client.get("/?format=html").body;
    assert!(String::from_utf8(home).unwrap().contains(r#"<a href="/-/docs">API reference</a>"#));
}

#[test]
fn its_links_are_below_the_base_path() {
    let yaml = std::fs::read_to_string("schemas/league.yaml").unwrap();
    let model = Model::link(api_def(&read_yaml("league.yaml", &yaml).unwrap())).unwrap();
    let server = TestServer::serve(model.into());
    let mut client = server.client();
    let html = page(&mut client, "/api/v2/-/docs");
    assert!(html.contains(r#"data-openapi="/api/v2/openapi.json" data-base="/api/v2""#), "{html}");
    assert!(files(&html).iter().all(|file| file.starts_with("/api/v2/-/pages/")), "{html}");
}

#[test]
fn its_files_are_sent_as_they_are_stored_or_decompressed() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let html = page(&mut client, "/-/docs");
    let files = files(&html);
    assert_eq!(files.len(), 6, "an icon, two style sheets, two scripts and a licence: {files:?}");
    for file in files {
        let plain = client.get(file);
        assert_eq!((plain.status(), plain.field("content-encoding")), (200, None), "{file}");
        let cached = plain.field("cache-control");
        assert_eq!(cached, Some("public, max-age=31536000, immutable"), "{file}");
        let is_large = file.contains("swagger-ui") && !file.ends_with(".txt");
        for accepted in ["gzip", "gzip, deflate, br, zstd"] {
            let fields = [("accept-encoding", accepted)];
            let coded = client.request("GET", file, &fields, None);
            assert!(coded.field("vary").unwrap().contains("accept-encoding"), "{file}");
            if !is_large {
                continue;
            }
            assert_eq!(coded.field("content-encoding"), Some("gzip"), "{file}");
            assert_ne!(coded.field("etag"), plain.field("etag"), "{file}");
            let mut content = vec![];
            std::io::copy(&mut GzDecoder::new(&*coded.body), &mut content).unwrap();
            assert!(content == plain.body, "{file} differs by its coding");
        }
        let other = file.replace(".css", ".map").replace(".js", ".map").replace(".svg", ".map");
        if other != file {
            assert_eq!(client.get(&other).status(), 404, "{other}");
        }
    }
    let license = client.get(files_of_license(&html)).body;
    let license = String::from_utf8(license).unwrap();
    assert!(license.contains("Apache License") && license.contains("DOMPurify"), "{license}");
}

fn files_of_license(html: &str) -> &str {
    files(html).into_iter().find(|file| file.ends_with(".LICENSE.txt")).unwrap()
}
