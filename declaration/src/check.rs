//! The checks that schema files and Rust programs share.
//!
//! The checks see names and positions. They do not know whether a schema file or a Rust program
//! declared them.

pub mod access;
mod accounts;
pub mod bounds;
mod cycles;
mod labels;
mod links;
pub mod names;
mod redirects;
mod server;
mod sessions;
mod sets;

use crate::outline::{Noun, Outline};
use crate::problem::{Problem, Suggestion};

pub use links::DEPTH_MAX;
pub use server::{cors, hosts, hsts, limits, rate_limit, trusted_proxies};
pub use sessions::{SessionOutline, sessions};

/// The maximum number of fields of a resource. SQLite allows 2,000 columns, and the server needs
/// some of them.
pub const FIELDS_MAX: usize = 1000;

/// A problem and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<P> {
    /// The position of the problem.
    pub at: P,
    /// The problem.
    pub problem: Problem,
}

/// A function that finds the declared name nearest to a mistyped name.
pub type FindNearest<'h> = &'h mut dyn FnMut(&str, &[&str]) -> Suggestion;

/// Checks all resources together: cycles of references, names, former paths, lists of fields.
///
/// A reference to an undeclared resource is ignored; the caller of this function reports it.
///
/// ```
/// use nouns_declaration::check;
/// use nouns_declaration::def::{Case, Routes};
/// use nouns_declaration::outline::{Noun, Outline, PlacedText};
/// use nouns_declaration::problem::Suggestion;
///
/// let noun = |text: &'static str| Noun {
///     name: PlacedText { text, at: text },
///     collection: PlacedText { text: "zoos", at: text },
///     table: PlacedText { text, at: text },
///     routes: Routes::Nested,
///     id: None,
///     has_chosen_ids: false,
///     timestamps: true,
///     parent: None,
///     attributes: vec![],
///     mentions: vec![],
///     label: None,
///     moved_from: vec![],
///     moved_to: None,
///     roles: vec![],
/// };
/// let nouns = vec![noun("zoo"), noun("ape")];
/// let outline = Outline { case: Case::Snake, nouns, accounts: None };
/// let found = check::across(&outline, &mut |_, _| Suggestion(None));
/// assert_eq!((found.len(), found[0].at, found[0].problem.code()), (1, "ape", "N033"));
/// ```
pub fn across<P: Copy>(outline: &Outline<'_, P>, nearest: FindNearest<'_>) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    links::check(&outline.nouns, &mut found);
    names::check(outline, &mut found);
    redirects::check(&outline.nouns, &mut found);
    for noun in &outline.nouns {
        sets::check(noun, nearest, &mut found);
        labels::check(noun, nearest, &mut found);
    }
    accounts::check(outline, nearest, &mut found);
    found.0
}

/// Checks the lists of fields and the label of one resource, without looking at other resources.
pub fn alone<P: Copy>(noun: &Noun<'_, P>, nearest: FindNearest<'_>) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    sets::check(noun, nearest, &mut found);
    labels::check(noun, nearest, &mut found);
    found.0
}

/// The problems found so far.
struct Faults<P>(Vec<Fault<P>>);

impl<P> Faults<P> {
    fn say(&mut self, at: P, problem: Problem) {
        self.0.push(Fault { at, problem });
    }

    fn extend(&mut self, at: P, problem: Option<Problem>) {
        self.0.extend(problem.map(|problem| Fault { at, problem }));
    }
}
