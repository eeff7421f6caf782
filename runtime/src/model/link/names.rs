//! Names that must differ: of resources, collections at one level, tables, and the names inside a resource.

use ahash::AHashMap;

use super::Linker;
use crate::model::{
    LinkProblem,
    def::{Case, FieldDef, ReferenceDef, ResourceDef, Routes},
};

/// The names of one kind in one place, with who has them.
#[derive(Default)]
struct Names(AHashMap<String, String>);

impl Names {
    /// Takes a name, or says who has it.
    fn claim(&mut self, what: &str, name: &str, by: &str, of: &'static str) -> Option<LinkProblem> {
        if let Some(by) = self.0.get(name) {
            let detail = format!("the {what} `{name}` is taken by {by}; choose another");
            return Some(LinkProblem::of("N033", of, detail));
        }
        self.give(name, by);
        None
    }

    fn give(&mut self, name: &str, by: &str) {
        self.0.insert(name.to_owned(), by.to_owned());
    }
}

/// The fields and columns that every row has.
const SYSTEM: [(&str, &str); 4] = [
    ("id", "every member has one already"),
    ("created_at", "every member has one already"),
    ("updated_at", "every member has one already"),
    ("revision", "every row has one already"),
];

impl Linker {
    pub(super) fn check_names(&mut self) {
        let mut problems = resources(self.api.resources);
        for def in self.api.resources {
            problems.extend(reserved_table(def));
            problems.extend(self.fields(def));
            problems.extend(aliases(def));
        }
        problems.extend(types(self.api.types));
        problems.extend(children(self.api.resources));
        self.problems.extend(problems);
    }

    /// Fields must differ in name, column and wire name, from each other, from the system's and from the parent's.
    fn fields(&self, def: &'static ResourceDef) -> Vec<LinkProblem> {
        let (mut columns, mut wires) = (Names::default(), Names::default());
        let mut problems = vec![];
        for (system, _) in SYSTEM {
            wires.give(&self.wire(system), "the system");
        }
        if let Some(parent) = def.parent {
            columns.give(&parent.field.to_ascii_lowercase(), "`parent`");
            wires.give(&self.wire(parent.field), "`parent`");
            problems.extend(reserved("field", parent.field, def.name));
        }
        for field in def.fields {
            if let Some(problem) = reserved("field", field.name, def.name) {
                problems.push(problem);
                continue;
            }
            let by = format!("field `{}`", field.name);
            if field.column != field.name {
                problems.extend(reserved("column", field.column, def.name));
            }
            let column = field.column.to_ascii_lowercase();
            let what =
                if def.parent.is_some_and(|parent| parent.field == field.name) { "field" } else { "column" };
            let taken = columns.claim(what, &column, &by, def.name);
            if taken.is_none() {
                let what = if self.api.case == Case::Camel { "wire name" } else { "field" };
                problems.extend(wires.claim(what, &self.wire(field.name), &by, def.name));
            }
            problems.extend(taken);
        }
        problems
    }
}

fn described(def: &ResourceDef) -> String {
    format!("resource `{}`", def.name)
}

fn resources(resources: &[&'static ResourceDef]) -> Vec<LinkProblem> {
    let (mut levels, mut tables) = (AHashMap::<&str, Names>::new(), Names::default());
    let mut problems = vec![];
    for (at, def) in resources.iter().enumerate() {
        if let Some(other) = resources[..at].iter().find(|other| other.name == def.name) {
            let mut detail = format!("`{}` is declared a second time here; keep one of the two", def.name);
            if !std::ptr::eq(*other, *def) {
                detail += &format!(
                    ", or give a struct, be it `{}` or `{}`, a name of its own: `#[resource(name = \"…\")]`",
                    other.rust, def.rust
                );
            }
            problems.push(LinkProblem::of("N011", def.name, detail));
            continue;
        }
        let by = described(def);
        let parent = def.parent.map(|parent| parent.resource);
        let nested = parent.filter(|_| def.routes != Routes::Flat);
        let flat = (parent.is_none() || def.routes != Routes::Nested).then_some("");
        for level in nested.into_iter().chain(flat) {
            let names = levels.entry(level).or_default();
            problems.extend(names.claim("collection", def.collection, &by, def.name));
        }
        problems.extend(tables.claim("table", def.table, &by, def.name));
    }
    problems
}

fn types(types: &[&'static crate::model::def::TypeDef]) -> Vec<LinkProblem> {
    let mut names = Names::default();
    let claim = |def: &&'static crate::model::def::TypeDef| {
        let by = format!("type `{}`", def.name);
        let problem = names.claim("type", def.name, &by, "")?;
        Some(problem)
    };
    types.iter().filter_map(claim).collect()
}

/// A name that is the system's own.
fn reserved(what: &str, name: &str, of: &'static str) -> Option<LinkProblem> {
    let (name, reason) = SYSTEM.iter().find(|(system, _)| *system == name)?;
    let detail = format!("the {what} `{name}` is reserved: {reason}; choose another");
    Some(LinkProblem::of("N034", of, detail))
}

fn reserved_table(def: &ResourceDef) -> Option<LinkProblem> {
    let table = def.table;
    let reason = match table {
        _ if table.starts_with("_nouns") => "tables that begin with `_nouns` hold the state of the system",
        _ if table.starts_with("sqlite_") => "tables that begin with `sqlite_` belong to SQLite",
        _ => return None,
    };
    let detail = format!("the table `{table}` is reserved: {reason}; choose another");
    Some(LinkProblem::of("N034", def.name, detail))
}

fn references(def: &'static ResourceDef) -> impl Iterator<Item = (&'static FieldDef, ReferenceDef)> {
    def.fields.iter().filter_map(|field| Some((field, field.reference?)))
}

/// What a reference is called must differ from every field and every other reference.
fn aliases(def: &'static ResourceDef) -> Vec<LinkProblem> {
    let mut names = field_names(def);
    let mut problems = vec![];
    for (field, reference) in references(def).filter(|(field, reference)| reference.alias != field.name) {
        match reserved("reference", reference.alias, def.name) {
            Some(problem) => problems.push(problem),
            None => {
                let by = format!("the reference `{}`", field.name);
                problems.extend(names.claim("reference", reference.alias, &by, def.name));
            }
        }
    }
    problems
}

/// What the reverse of a reference is called must differ from every name of the other resource.
fn children(resources: &[&'static ResourceDef]) -> Vec<LinkProblem> {
    let mut targets: AHashMap<&str, Names> =
        resources.iter().map(|def| (def.name, target_names(def))).collect();
    for def in resources {
        if let Some(names) = def.parent.and_then(|parent| targets.get_mut(parent.resource)) {
            names.give(def.collection, &format!("the collection of {}", described(def)));
        }
    }
    let mut problems = vec![];
    for def in resources {
        for (field, reference) in references(def) {
            let Some(children) = reference.children else { continue };
            let Some(names) = targets.get_mut(reference.resource) else { continue };
            match reserved("reverse", children, def.name) {
                Some(problem) => problems.push(problem),
                None => {
                    let by = format!("the reference `{}` of {}", field.name, described(def));
                    problems.extend(names.claim("reverse", children, &by, def.name));
                }
            }
        }
    }
    problems
}

fn field_names(def: &'static ResourceDef) -> Names {
    let mut names = Names::default();
    if let Some(parent) = def.parent {
        names.give(parent.field, "`parent`");
        names.give(parent.field.strip_suffix("_id").unwrap_or(parent.field), "`parent`");
    }
    for field in def.fields {
        names.give(field.name, &format!("field `{}`", field.name));
    }
    names
}

fn target_names(def: &'static ResourceDef) -> Names {
    let mut names = field_names(def);
    for (field, reference) in references(def) {
        names.give(reference.alias, &format!("the reference `{}`", field.name));
    }
    names
}
