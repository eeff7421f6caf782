//! Checks of the server settings. They may come from a schema, from calls of the builder or from
//! command line flags.

use nouns_declaration::{check, outline::PlacedText, problem::Problem};

use super::{LinkProblem, Linker, Subject};
use crate::model::def::CorsDef;

impl Linker {
    pub(super) fn check_server(&mut self) {
        if let Some(cors) = self.api.server.cors {
            let lists = lists(&cors).into_iter();
            self.problems
                .extend(lists.map(|problem| LinkProblem::new(Subject::Interface, problem)));
            self.take(check::cors(&placed(cors.origins), cors.credentials, &placed(cors.headers)));
        }
    }
}

/// Checks the lists of origins and header names in the CORS settings of a builder. A schema's lists
/// are checked by its parser.
fn lists(cors: &CorsDef) -> Vec<Problem> {
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
    problems
}

fn placed(texts: &[&'static str]) -> Vec<PlacedText<'static, Subject>> {
    texts.iter().map(|text| PlacedText { text, at: Subject::Interface }).collect()
}
