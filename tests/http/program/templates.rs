//! Tests of a directory of templates, whose files replace those of the web pages.

use std::{fs, path::Path};

use super::{Serving, ZOO, nouns, run, schema, stderr, stdout};
use crate::client::{Answer, Client};

const NAME: &str = "      name: { type: string, required: true }\n";

/// Writes a file of the directory `web`.
fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join("web")).unwrap();
    fs::write(folder.join("web").join(name), text).unwrap();
}

fn page(client: &mut Client, target: &str) -> Answer {
    client.request("GET", target, &[("accept", "text/html")], None)
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

/// Returns the content of the first file whose name a page has.
fn file(client: &mut Client, html: &str, name: &str) -> Answer {
    let mut links = html.split('"').filter(|text| text.starts_with("/-/pages/"));
    let link = links.find(|link| link.ends_with(name)).unwrap_or_else(|| panic!("{name}: {html}"));
    client.get(link)
}

#[test]
fn a_directory_of_templates_is_a_flag_a_variable_and_a_key() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "page.css", "body { color: teal }");
    write(folder.path(), "logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    write(
        folder.path(),
        "brand.html",
        "<img src=\"{{ files['logo.svg'] }}\" alt=\"{{ interface }}\">",
    );
    write(folder.path(), "sign_in.html", "");
    let home = "{% extends \"layout.html\" %}{% block main %}{% include \"brand.html\" %}\
                {% for resource in resources %}<b>{{ resource.name }}</b>{% endfor %}{% endblock %}";
    write(folder.path(), "home.html", home);
    let zoo = fs::read_to_string(ZOO).unwrap();
    let schema = folder.path().join("zoo.yaml");
    fs::write(&schema, format!("server: {{ templates: web }}\n{zoo}")).unwrap();
    let mut command = nouns(folder.path());
    command.env("NOUNS_TEMPLATES", "web");
    for serving in [
        Serving::start(folder.path(), &[ZOO, "--templates", "web"]),
        Serving::start_with(command, &[ZOO, "--database", "b.db"]),
        Serving::start(folder.path(), &[schema.to_str().unwrap(), "--database", "c.db"]),
    ] {
        let mut client = serving.client();
        let home = text(&page(&mut client, "/"));
        assert!(home.contains("<b>Zoos</b>") && home.contains("alt=\"City zoos\">"), "{home}");
        assert_eq!(text(&file(&mut client, &home, "page.css")), "body { color: teal }");
        let logo = file(&mut client, &home, "logo.svg");
        assert_eq!(logo.field("content-type"), Some("image/svg+xml"));
        assert_eq!(logo.field("cache-control"), Some("public, max-age=31536000, immutable"));
        // What is not replaced is as before.
        let zoos = page(&mut client, "/zoos");
        assert!(text(&zoos).contains("There are no members here"), "{zoos:?}");
        assert!(text(&file(&mut client, &text(&zoos), "page.js")).contains("data-copy"));
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{log}");
    }
}

#[test]
fn values_are_escaped_in_templates_of_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "member.html", "<title>{{ heading }}</title>{{ fields[1].value.text }}");
    let serving = Serving::start(folder.path(), &[ZOO, "--templates", "web"]);
    let mut client = serving.client();
    client.create("/zoos", &serde_json::json!({ "name": "<b>Zoo</b>", "city": "'Bonn'" }));
    let html = text(&page(&mut client, "/zoos/1"));
    assert!(html.contains("&lt;b&gt;Zoo&lt;/b&gt;") && !html.contains("<b>"), "{html}");
    serving.stop("-TERM");
}

#[test]
fn a_server_with_a_mistake_in_its_templates_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "member.html", "<p>\n\n{{ headin }}");
    write(folder.path(), "home.html", "{{ version }");
    let output = run(folder.path(), &["serve", ZOO, "--templates", "web"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("error: web/home.html:1: syntax error: "), "{said}");
    fs::remove_file(folder.path().join("web/home.html")).unwrap();
    let said = stderr(&run(folder.path(), &["serve", ZOO, "--templates", "web"]));
    let expected = "error: web/member.html:3: there is no `headin`; did you mean `heading`?\n";
    assert_eq!(said, expected);
    assert!(!folder.path().join("zoo.db").exists(), "nothing is created before the check");
    let said = stderr(&run(folder.path(), &["serve", ZOO, "--templates", "nowhere"]));
    assert!(said.starts_with("error: nowhere: the directory cannot be read: "), "{said}");
}

/// An attribute is looked up when a page is rendered, and an unknown one is not shown as nothing.
#[test]
fn an_unknown_attribute_is_a_500_that_the_log_explains() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "home.html", "{% for one in resources %}\n{{ one.nam }}{% endfor %}");
    let serving = Serving::start(folder.path(), &[ZOO, "--templates", "web"]);
    assert_eq!(page(&mut serving.client(), "/").status(), 500);
    assert_eq!(serving.client().get("/").status(), 200, "JSON needs no template");
    let (_, log) = serving.stop("-TERM");
    assert!(
        log.contains("the template `home.html` failed: ") && log.contains("home.html:2"),
        "{log}"
    );
}

#[test]
fn templates_are_reloaded_and_a_broken_one_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    write(folder.path(), "home.html", "one");
    let serving = Serving::start(folder.path(), &[&file, "--templates", "web", "--watch"]);
    let mut client = serving.client();
    let before = page(&mut client, "/");
    let state = text(&client.get("/-/watch"));
    assert_eq!(text(&before), "one");
    write(folder.path(), "home.html", "{% extends \"layout.html\" %}");
    serving.log.until("the schema was reloaded", 1);
    let after = page(&mut client, "/");
    assert_ne!(after.field("etag"), before.field("etag"));
    assert_ne!(text(&client.get("/-/watch")), state, "open pages load themselves again");
    write(folder.path(), "home.html", "{% extends \"layuot.html\" %}");
    serving.log.until("the schema was not reloaded: the server goes on with the former one", 1);
    let broken = text(&page(&mut client, "/"));
    assert!(broken.contains("A file has a mistake"), "{broken}");
    assert!(
        broken.contains("error: web/home.html:1: template &quot;layuot.html&quot; does not exist"),
        "{broken}"
    );
    write(folder.path(), "home.html", "three");
    serving.log.until("the schema was reloaded", 2);
    assert_eq!(text(&page(&mut client, "/")), "three");
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn a_signal_reloads_templates() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), NAME);
    write(folder.path(), "home.html", "one");
    let serving = Serving::start(folder.path(), &[&file, "--templates", "web"]);
    let before = page(&mut serving.client(), "/");
    write(folder.path(), "home.html", "two");
    assert_eq!(page(&mut serving.client(), "/").field("etag"), before.field("etag"));
    serving.hang_up("the schema was reloaded");
    assert_eq!(text(&page(&mut serving.client(), "/")), "two");
    serving.stop("-TERM");
}

#[test]
fn the_embedded_files_are_written_to_change_them() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["generate", "templates", "web"]);
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(0), ""));
    assert!(stdout(&output).contains("web/page.css\n"), "{output:?}");
    let member = fs::read_to_string(folder.path().join("web/member.html")).unwrap();
    assert!(member.starts_with("{# a member\n   Variables: interface, "), "{member}");
    // They are valid, and the pages are those without them.
    let serving = Serving::start(folder.path(), &[ZOO, "--templates", "web"]);
    let other = Serving::start(folder.path(), &[ZOO, "--database", "other.db"]);
    for target in ["/", "/zoos", "/-/forms/zoos", "/-/docs"] {
        let [with, without] = [&serving, &other].map(|one| text(&page(&mut one.client(), target)));
        let host = |one: &Serving| one.address().to_string();
        assert_eq!(
            with.replace(&host(&serving), ""),
            without.replace(&host(&other), ""),
            "{target}"
        );
    }
    serving.stop("-TERM");
    other.stop("-TERM");
    let again = run(folder.path(), &["generate", "templates", "web", "page.css"]);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(stderr(&again), "error: `web/page.css` exists, and is not replaced\n");
    let output = run(folder.path(), &["generate", "templates", "b", "page.css"]);
    assert_eq!(stdout(&output), "b/page.css\n");
    assert_eq!(fs::read_dir(folder.path().join("b")).unwrap().count(), 1);
    let unknown = stderr(&run(folder.path(), &["generate", "templates", "b", "pages.css"]));
    assert!(
        unknown.starts_with("error: the pages have no file `pages.css`; they have "),
        "{unknown}"
    );
}

const GUIDE: &str = include_str!("../../../docs/page-templates.md");

#[test]
fn the_guide_has_each_template_and_each_variable() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["generate", "templates", "web"]);
    let mut count = 0;
    for entry in fs::read_dir(folder.path().join("web")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = fs::read_to_string(folder.path().join("web").join(&name)).unwrap();
        let Some(comment) = text.strip_prefix("{# ") else {
            assert!(GUIDE.contains(&format!("`{name}`")), "{name}");
            continue;
        };
        let (purpose, rest) = comment.split_once("\n   Variables: ").unwrap();
        let row = format!("| `{name}` | {purpose} |");
        let row = GUIDE.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("`{name}` is not in the guide"));
        let variables = rest.split_once(" #}").unwrap().0;
        for variable in variables.split(", ").filter(|name| !name.contains(' ')) {
            let of_all = format!("| `{variable}` | ");
            let is_known = row.contains(&format!("`{variable}`")) || GUIDE.contains(&of_all);
            assert!(is_known, "`{variable}` of `{name}` is not in the guide");
        }
        count += 1;
    }
    assert_eq!(count, 10);
}

#[test]
fn the_templates_of_the_guide_are_valid() {
    let blocks: Vec<_> = GUIDE.split("```jinja\n").skip(1).collect();
    for block in &blocks {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("web");
        write(folder.path(), "home.html", block.split("```").next().unwrap());
        write(folder.path(), "header.html", "");
        write(folder.path(), "logo.svg", "");
        let built = nouns::Api::new("Zoos").templates(place.to_str().unwrap()).build();
        assert!(built.is_ok(), "{:?}", built.unwrap_err());
    }
    assert_eq!(blocks.len(), 1);
}
