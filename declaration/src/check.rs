//! The checks across resources: the one place of what a schema file and a program that builds an interface can get wrong alike.
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

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<P> {
    /// Where it is.
    pub at: P,
    /// What it is.
    pub problem: Problem,
}

/// Names that a mistyped one may have been meant to be: the nearest of those that are known.
pub type Nearby<'h> = &'h mut dyn FnMut(&str, &[&str]) -> Nearest;

/// Checks all resources beside each other: circles, names, paths that have moved, lists of fields.
///
/// What is not declared is none of its mistakes: a name that no resource has is passed by.
///
/// ```
/// use nouns_declaration::{check, def::{Case, Routes}, outline::{Noun, Outline, Placed}, problem::Nearest};
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
    let mut found = Found(Vec::new());
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
    let mut found = Found(Vec::new());
    sets::check(noun, nearest, &mut found);
    found.0
}

/// What was found so far.
struct Found<P>(Vec<Fault<P>>);

impl<P> Found<P> {
    fn say(&mut self, at: P, problem: Problem) {
        self.0.push(Fault { at, problem });
    }

    fn extend(&mut self, at: P, problem: Option<Problem>) {
        self.0.extend(problem.map(|problem| Fault { at, problem }));
    }
}
