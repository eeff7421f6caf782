//! The checks that a schema file and a program that builds an interface have in common.
//!
//! They know names and places, and nothing of where either came from.

pub mod bounds;
mod cycles;
mod links;
pub mod names;
mod redirects;
mod server;
mod sets;

use crate::outline::{Noun, Outline};
use crate::problem::{Nearest, Problem};

pub use links::DEPTH_MAX;
pub use server::cors;

/// How many fields a resource has at most. A table of SQLite has 2,000 columns, some of which are
/// the system's.
pub const FIELDS_MAX: usize = 1000;

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<P> {
    /// Where it is.
    pub at: P,
    /// What it is.
    pub problem: Problem,
}

/// Finds the known name that a mistyped one is nearest to.
pub type Nearby<'h> = &'h mut dyn FnMut(&str, &[&str]) -> Nearest;

/// Checks all resources beside each other: circles, names, paths that have moved, lists of fields.
///
/// It ignores references to resources that are not declared; its callers report those.
///
/// ```
/// use nouns_declaration::check;
/// use nouns_declaration::def::{Case, Routes};
/// use nouns_declaration::outline::{Noun, Outline, Placed};
/// use nouns_declaration::problem::Nearest;
///
/// let noun = |text: &'static str| Noun {
///     name: Placed { text, at: text },
///     collection: Placed { text: "zoos", at: text },
///     table: Placed { text, at: text },
///     routes: Routes::Nested,
///     timestamps: true,
///     parent: None,
///     attributes: vec![],
///     mentions: vec![],
///     moved_from: vec![],
///     moved_to: None,
/// };
/// let outline = Outline { case: Case::Snake, nouns: vec![noun("zoo"), noun("ape")] };
/// let found = check::across(&outline, &mut |_, _| Nearest(None));
/// assert_eq!((found.len(), found[0].at, found[0].problem.code()), (1, "ape", "N033"));
/// ```
pub fn across<P: Copy>(outline: &Outline<'_, P>, nearest: Nearby<'_>) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    links::check(&outline.nouns, &mut found);
    names::check(outline, &mut found);
    redirects::check(&outline.nouns, &mut found);
    for noun in &outline.nouns {
        sets::check(noun, nearest, &mut found);
    }
    found.0
}

/// Checks the lists of one resource, which need no other.
pub fn alone<P: Copy>(noun: &Noun<'_, P>, nearest: Nearby<'_>) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    sets::check(noun, nearest, &mut found);
    found.0
}

/// What was found so far.
struct Faults<P>(Vec<Fault<P>>);

impl<P> Faults<P> {
    fn say(&mut self, at: P, problem: Problem) {
        self.0.push(Fault { at, problem });
    }

    fn extend(&mut self, at: P, problem: Option<Problem>) {
        self.0.extend(problem.map(|problem| Fault { at, problem }));
    }
}
