//! Checks that each name is declared exactly once. The messages suggest corrections in Rust.

use foldhash::HashMap;
use nouns_declaration::{
    check::names::Names,
    problem::{Problem, Suggestion},
};

use super::{LinkProblem, Linker, Subject, near};
use crate::model::{ResourceIx, def::ResourceDef};

impl Linker {
    /// Returns the index of a resource. Reports a problem if no resource has the name.
    pub(super) fn is_declared(&mut self, name: &str, subject: Subject) -> Option<ResourceIx> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            let known: Vec<_> = self.names.keys().copied().collect();
            let nearest = near(name, &known);
            let advice = declare(&rust(name), &nearest);
            let problem = Problem::UnknownResource { name: name.to_owned(), nearest };
            self.problems.push(LinkProblem { advice, ..LinkProblem::new(subject, problem) });
        }
        found
    }

    pub(super) fn check_parents(&mut self) {
        for def in self.api.resources {
            if let Some(parent) = def.parent {
                self.is_declared(parent.resource, Subject::Resource(def.name));
            }
        }
    }

    /// Checks that no two resources and no two named types have the same name.
    pub(super) fn check_twins(&mut self) {
        let mut firsts: HashMap<&str, &'static ResourceDef> = HashMap::default();
        for def in self.api.resources {
            match firsts.get(def.name) {
                Some(first) => self.problems.push(twice(first, def)),
                None => drop(firsts.insert(def.name, def)),
            }
        }
        let mut names = Names::default();
        for def in self.api.types {
            let taken = names.claim("type", def.name, &format!("type `{}`", def.name));
            self.problems
                .extend(taken.map(|problem| LinkProblem::new(Subject::Interface, problem)));
        }
    }
}

fn twice(other: &'static ResourceDef, def: &'static ResourceDef) -> LinkProblem {
    let problem = Problem::DuplicateKey { key: def.name.to_owned() };
    let mut twice = LinkProblem::new(Subject::Resource(def.name), problem);
    if !std::ptr::eq(other, def) {
        twice.advice = format!(
            ", or give one of the structs, `{}` or `{}`, a name of its own: `#[resource(name = \"…\")]`",
            other.rust, def.rust
        );
    }
    twice
}

/// Suggests to declare the resource, unless the message suggests a similar name.
pub(crate) fn declare(rust: &str, nearest: &Suggestion) -> String {
    match nearest {
        Suggestion(None) => format!("; declare it with `.resource::<{rust}>()`"),
        Suggestion(Some(_)) => String::new(),
    }
}

/// The default name of the struct of a resource, such as `AnimalType` for `animal_type`.
fn rust(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(letters)
            .collect::<String>()
    };
    name.split('_').map(word).collect()
}
