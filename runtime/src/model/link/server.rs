//! The settings of the server, which come from calls and from flags too.

use nouns_declaration::problem::Problem;

use super::{LinkProblem, Linker, Subject};
use crate::model::{def::CorsDef, is_origin};

impl Linker {
    pub(super) fn check_server(&mut self) {
        if let Some(cors) = self.api.server.cors {
            let found = problems(&cors).into_iter();
            self.problems.extend(found.map(|problem| LinkProblem::new(Subject::Interface, problem)));
        }
    }
}

fn problems(cors: &CorsDef) -> Vec<Problem> {
    let mut problems = vec![];
    if cors.origins.is_empty() {
        problems.push(Problem::MissingKey { key: "origins", owner: "`cors`".to_owned() });
    }
    for (key, texts) in [("origins", cors.origins), ("headers", cors.headers)] {
        for (at, text) in texts.iter().enumerate() {
            if texts[..at].contains(text) {
                problems.push(Problem::Repeated { key: key.to_owned(), item: (*text).to_owned() });
            }
        }
    }
    problems.extend(cors.origins.iter().filter_map(|origin| wrong_origin(cors, origin)));
    for header in cors.headers.iter().filter(|header| !is_token(header)) {
        let rule = "the name of a field, like `X-Request-Id`, without blanks, brackets and quotes";
        problems.push(Problem::BadText { key: "headers".to_owned(), text: (*header).to_owned(), rule });
    }
    problems
}

fn wrong_origin(cors: &CorsDef, origin: &str) -> Option<Problem> {
    if origin != "*" {
        let rule = "an origin as browsers send it, like `https://zoo.example.org` or `http://localhost:3000`: \
                    in lower case, without path and without the usual port";
        let (key, text) = ("origins".to_owned(), origin.to_owned());
        return (!is_origin(origin)).then_some(Problem::BadText { key, text, rule });
    }
    if cors.credentials {
        return Some(Problem::AnyOriginWithCredentials);
    }
    let other = cors.origins.iter().find(|other| **other != "*")?;
    Some(Problem::AnyOriginAndOthers { other: (*other).to_owned() })
}

/// Whether a text is a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
