//! Tests of the guide as a whole: its table of contents and the links of its pages.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::tidy::root;

/// The folders whose pages are checked; the first is that of `README.md`.
const FOLDERS: [&str; 2] = ["", "docs"];

/// Lists the Markdown files of the folders.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![];
    for folder in FOLDERS {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            pages.push(entry.unwrap().path());
        }
    }
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// The lines of a page outside of code blocks.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchors of the headings of a page, as code hosts and mdBook make them.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = vec![];
    let mut counts: HashMap<String, usize> = HashMap::new();
    for heading in lines(text).filter(|line| line.starts_with('#')) {
        let title = link_texts(heading.trim_start_matches('#').trim());
        let kept = title.chars().filter(|one| one.is_alphanumeric() || " -_".contains(*one));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let count = counts.entry(anchor.clone()).or_default();
        anchors.push(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    anchors
}

/// Replaces each `[text](target)` by `text`.
fn link_texts(text: &str) -> String {
    let mut parts = text.split("](");
    let mut shown = parts.next().unwrap_or_default().replace('[', "");
    for part in parts {
        shown.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    shown
}

/// The targets of the links and images of a page.
fn targets(text: &str) -> Vec<&str> {
    let inline = lines(text).flat_map(|line| line.split("](").skip(1));
    let inline = inline.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let attributes = ["href=\"", "src=\"", "srcset=\""];
    let attributes =
        lines(text).flat_map(|line| attributes.iter().flat_map(|name| line.split(name).skip(1)));
    let attributes = attributes.filter_map(|rest| rest.split_once('"').map(|(target, _)| target));
    inline.chain(attributes).collect()
}

/// Describes what is wrong with the target of a link in a page; `None` if it exists.
fn mistake(page: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") || target.starts_with("http://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => page.to_owned(),
        path => page.parent().unwrap().join(path),
    };
    if !file.exists() {
        return Some(format!("`{target}`: there is no such file"));
    }
    if anchor.is_empty() {
        return None;
    }
    let text = fs::read_to_string(&file).unwrap();
    (!anchors(&text).iter().any(|known| known == anchor))
        .then(|| format!("`{target}`: there is no such heading"))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let (mut count, mut mistakes) = (0, vec![]);
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.strip_prefix(root()).unwrap().display();
        for target in targets(&text) {
            count += 1;
            mistakes.extend(mistake(&page, target).map(|mistake| format!("{name}: {mistake}")));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert!(count > 500, "the pages have only {count} links: are they found?");
}

#[test]
fn the_table_of_contents_has_every_page_once_and_no_other() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<_> = targets(&summary).into_iter().map(str::to_owned).collect();
    let docs = pages().into_iter().filter(|page| page.parent() == Some(&root().join("docs")));
    let names = docs.map(|page| page.file_name().unwrap().to_str().unwrap().to_owned());
    let mut expected: Vec<_> = names.filter(|name| name != "SUMMARY.md").collect();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}

#[test]
fn headings_have_the_anchors_of_code_hosts() {
    let page = "# N080: no [index](x.md) serves `a_b`, or *not*\n```\n# no\n```\n## A\n## A\n";
    assert_eq!(anchors(page), ["n080-no-index-serves-a_b-or-not", "a", "a-1"]);
    assert_eq!(
        targets("[a](b.md#c) ![d](e.svg)\n<img src=\"f.png\">"),
        ["b.md#c", "e.svg", "f.png"]
    );
}

/// The text of a picture of a terminal, without its styles.
fn text_of(svg: &str) -> String {
    let lines = svg.split("<text ").skip(1).map(|line| {
        let line = line.split("</text>").next().unwrap().split_once('>').unwrap().1;
        let parts = line.split("<tspan").skip(1).map(|part| part.split_once('>').unwrap().1);
        parts.map(|part| part.split("</tspan>").next().unwrap()).collect::<String>() + "\n"
    });
    lines.collect::<String>().replace("&lt;", "<").replace("&amp;", "&")
}

/// `tests/browser/screenshots` makes the pictures again.
#[test]
fn the_picture_of_a_terminal_shows_what_the_program_prints() {
    let script = fs::read_to_string(root().join("tests/browser/screenshots.js")).unwrap();
    let draft = script.split_once("const DRAFT = `").unwrap().1.split_once("`;").unwrap().0;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zoo.yaml"), draft).unwrap();
    let mut check = Command::new(env!("CARGO_BIN_EXE_nouns"));
    check.current_dir(folder.path()).env("NO_COLOR", "1").args(["check", "zoo.yaml"]);
    let output = check.output().unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let expected = format!("$ nouns check zoo.yaml\n{}", printed.trim_end());
    for scheme in ["light", "dark"] {
        let picture = root().join(format!("docs/screenshots/terminal-{scheme}.svg"));
        let text = text_of(&fs::read_to_string(picture).unwrap());
        assert_eq!(text.trim_end(), expected, "the picture is not up to date");
    }
}
