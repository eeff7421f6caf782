//! The settings of the server, which come from calls and from flags too.

use super::Linker;
use crate::model::{LinkProblem, def::CorsDef, is_origin};

impl Linker {
    pub(super) fn check_server(&mut self) {
        if let Some(cors) = self.api.server.cors {
            self.problems.extend(problems(&cors));
        }
    }
}

fn problems(cors: &CorsDef) -> Vec<LinkProblem> {
    let mut problems = vec![];
    if cors.origins.is_empty() {
        problems.push(LinkProblem::new("N012", "`cors` needs the key `origins`; add it".into()));
    }
    for (key, texts) in [("origins", cors.origins), ("headers", cors.headers)] {
        for (at, text) in texts.iter().enumerate() {
            if texts[..at].contains(text) {
                let detail = format!("`{text}` stands in `{key}` twice; remove one of the two");
                problems.push(LinkProblem::new("N020", detail));
            }
        }
    }
    problems.extend(cors.origins.iter().filter_map(|origin| wrong_origin(cors, origin)));
    for header in cors.headers.iter().filter(|header| !is_token(header)) {
        let rule = "the name of a field, like `X-Request-Id`, without blanks, brackets and quotes";
        problems.push(LinkProblem::new("N021", format!("`headers` is `{header}`; it must be {rule}")));
    }
    problems
}

fn wrong_origin(cors: &CorsDef, origin: &str) -> Option<LinkProblem> {
    if origin != "*" {
        let rule = "an origin as browsers send it, like `https://zoo.example.org` or `http://localhost:3000`: \
                    in lower case, without path and without the usual port";
        let detail = format!("`origins` is `{origin}`; it must be {rule}");
        return (!is_origin(origin)).then(|| LinkProblem::new("N021", detail));
    }
    if cors.credentials {
        let detail = "`*` is any origin, and with `credentials` each of them could act for a user; \
                      list the origins that may";
        return Some(LinkProblem::new("N024", detail.into()));
    }
    let other = cors.origins.iter().find(|other| **other != "*")?;
    Some(LinkProblem::new("N025", format!("`*` is any origin, `{other}` among them; keep one of the two")))
}

/// Whether a text is a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
