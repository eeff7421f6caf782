//! Checks of the server settings. They may come from a schema, from calls of the builder or from
//! command line flags.

use nouns_declaration::{
    check,
    outline::PlacedText,
    problem::{Owner, Problem},
};

use super::{LinkProblem, Linker, Subject};
use crate::model::def::ServerDef;

impl Linker {
    pub(super) fn check_server(&mut self) {
        let ServerDef { cors, trusted_proxies, hsts, limits, hosts, rate_limit, .. } =
            self.api.server;
        let mut problems = repeated("trusted_proxies", trusted_proxies);
        problems.extend(hsts.and_then(check::hsts));
        if let Some(cors) = cors {
            if cors.origins.is_empty() {
                problems.push(Problem::MissingKey {
                    key: "origins",
                    owner: Owner::Key("cors".to_owned()),
                });
            }
            problems.extend(repeated("origins", cors.origins));
            problems.extend(repeated("headers", cors.headers));
            self.take(check::cors(&placed(cors.origins), cors.credentials, &placed(cors.headers)));
        }
        problems.extend(repeated("hosts", hosts));
        problems.extend(check::limits(&limits));
        problems.extend(check::rate_limit(rate_limit));
        let problems = problems.into_iter();
        self.problems.extend(problems.map(|problem| LinkProblem::new(Subject::Interface, problem)));
        self.take(check::trusted_proxies(&placed(trusted_proxies)));
        self.take(check::hosts(&placed(hosts)));
    }
}

/// Returns a problem for each text that occurs earlier in the list. For a YAML schema, such
/// problems are already reported before linking.
fn repeated(key: &str, texts: &[&'static str]) -> Vec<Problem> {
    let is_repeated = |(at, text): &(usize, &&'static str)| texts[..*at].contains(*text);
    let repeated = texts.iter().enumerate().filter(is_repeated);
    repeated
        .map(|(_, text)| Problem::Repeated { key: key.to_owned(), item: (*text).to_owned() })
        .collect()
}

fn placed(texts: &[&'static str]) -> Vec<PlacedText<'static, Subject>> {
    texts.iter().map(|text| PlacedText { text, at: Subject::Interface }).collect()
}
