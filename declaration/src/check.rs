//! The checks that schema files and programs share.
//!
//! They know names and places, but not which front end these came from.

pub mod bounds;
mod cycles;
mod links;
pub mod names;
mod redirects;
mod server;
mod sets;

use crate::outline::{Noun, Outline};
use crate::problem::{Problem, Suggestion};

pub use links::DEPTH_MAX;
pub use server::{cors, trusted_proxies};

/// The most fields of a resource. SQLite allows 2,000 columns, and the system needs some of them.
pub const FIELDS_MAX: usize = 1000;

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<P> {
    /// Its place.
    pub at: P,
    /// The problem.
    pub problem: Problem,
}

/// A function that finds the known name nearest to a mistyped one.
pub type FindNearest<'h> = &'h mut dyn FnMut(&str, &[&str]) -> Suggestion;

/// Checks all resources together: circles, names, former paths, lists of fields.
///
/// It ignores references to undeclared resources; its callers report those.
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
///     timestamps: true,
///     parent: None,
///     attributes: vec![],
///     mentions: vec![],
///     moved_from: vec![],
///     moved_to: None,
/// };
/// let outline = Outline { case: Case::Snake, nouns: vec![noun("zoo"), noun("ape")] };
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
    }
    found.0
}

/// Checks the lists of fields of one resource, which needs no other resource.
pub fn alone<P: Copy>(noun: &Noun<'_, P>, nearest: FindNearest<'_>) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    sets::check(noun, nearest, &mut found);
    found.0
}

/// The problems that were found so far.
struct Faults<P>(Vec<Fault<P>>);

impl<P> Faults<P> {
    fn say(&mut self, at: P, problem: Problem) {
        self.0.push(Fault { at, problem });
    }

    fn extend(&mut self, at: P, problem: Option<Problem>) {
        self.0.extend(problem.map(|problem| Fault { at, problem }));
    }
}
