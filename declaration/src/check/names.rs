//! Checks that names are unique: of collections below one parent, of tables, and of the fields,
//! columns and references of a resource.

use std::collections::HashMap;

use super::Faults;
use crate::{
    def::{Case, ReferenceDef},
    outline::{Noun, Outline, PlacedText, Pointer},
    problem::{Problem, excerpt},
};

/// The names of the fields and columns of the server, each with the reason why it is reserved.
const SYSTEM: &[(&str, &str)] = &[
    ("id", "every member has one already"),
    ("created_at", "every member has one already"),
    ("updated_at", "every member has one already"),
    ("revision", "every row has one already"),
];

/// The used names of one kind, such as tables. Each name maps to a description of its owner.
#[derive(Debug, Default)]
pub struct Names {
    owners: HashMap<String, String>,
    /// Whether names are compared as SQLite compares tables and columns: without ASCII case.
    is_sql: bool,
}

impl Names {
    /// Adds a name, or returns the problem that another owner has the name.
    ///
    /// ```
    /// use nouns_declaration::check::names::Names;
    /// let mut names = Names::default();
    /// assert_eq!(names.claim("table", "zoos", "resource `zoo`"), None);
    /// let taken = names.claim("table", "zoos", "resource `ape`").unwrap();
    /// let message = "the table `zoos` is taken by resource `zoo`; choose another";
    /// assert_eq!(taken.to_string(), message);
    /// ```
    pub fn claim(&mut self, what: &'static str, name: &str, by: &str) -> Option<Problem> {
        match self.owners.get(&self.key(name)) {
            Some(by) => {
                let (name, by) = (excerpt(name), by.clone());
                Some(Problem::Taken { what, name, by, repair: "choose another" })
            }
            None => {
                self.insert(name, by);
                None
            }
        }
    }

    fn insert(&mut self, name: &str, by: &str) {
        self.owners.insert(self.key(name), by.to_owned());
    }

    fn of_sql() -> Self {
        Self { is_sql: true, ..Self::default() }
    }

    fn key(&self, name: &str) -> String {
        if self.is_sql { name.to_ascii_lowercase() } else { name.to_owned() }
    }
}

/// The reason why a table name is reserved, or `None` if it is free.
///
/// ```
/// use nouns_declaration::check::names::reserved_table;
/// assert!(reserved_table("sqlite_master").is_some() && reserved_table("SQLITE_x").is_some());
/// ```
#[must_use]
pub fn reserved_table(table: &str) -> Option<&'static str> {
    let begins =
        |with: &str| table.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    if begins("_nouns") {
        Some("tables that begin with `_nouns` hold the state of the system")
    } else if begins("sqlite_") {
        Some("tables that begin with `sqlite_` belong to SQLite")
    } else {
        None
    }
}

pub(super) fn check<P: Copy>(outline: &Outline<'_, P>, found: &mut Faults<P>) {
    check_resources(&outline.nouns, found);
    for noun in &outline.nouns {
        check_fields(noun, outline.case, found);
        check_aliases(noun, found);
    }
    check_children(&outline.nouns, found);
}

fn describe<P>(noun: &Noun<'_, P>) -> String {
    format!("resource `{}`", excerpt(noun.name.text))
}

fn check_resources<P: Copy>(nouns: &[Noun<'_, P>], found: &mut Faults<P>) {
    let (mut levels, mut tables) = (HashMap::<&str, Names>::new(), Names::of_sql());
    for noun in nouns {
        let by = describe(noun);
        let (collection, table) = (noun.collection, noun.table);
        for level in noun.nested_in().into_iter().chain(noun.is_at_top().then_some("")) {
            let names = levels.entry(level).or_default();
            found.extend(collection.at, names.claim("collection", collection.text, &by));
        }
        if let Some(reason) = reserved_table(table.text) {
            let name = excerpt(table.text);
            found.say(table.at, Problem::Reserved { what: "table", name, reason });
        }
        found.extend(table.at, tables.claim("table", table.text, &by));
    }
}

/// Checks that the fields of a resource differ in name, column and wire name (the name in JSON).
/// They must also differ from the system fields and from the field of the parent.
fn check_fields<P: Copy>(noun: &Noun<'_, P>, case: Case, found: &mut Faults<P>) {
    let (mut columns, mut wires) = (Names::of_sql(), Names::default());
    SYSTEM.iter().for_each(|(system, _)| wires.insert(&case.wire(system), "the system"));
    if let Some(parent) = &noun.parent {
        if !refuse_reserved("field", parent.field, found) {
            refuse_reserved_column(parent.field, found);
        }
        columns.insert(parent.field.text, "`parent`");
        wires.insert(&case.wire(parent.field.text), "`parent`");
    }
    let parent = noun.parent.as_ref().map(|parent| parent.field.text);
    let on_wire = if case == Case::Camel { "wire name" } else { "field" };
    for attribute in noun.attributes.iter().filter(|attribute| attribute.is_spelled) {
        let (name, column) = (attribute.name, attribute.column);
        if refuse_reserved("field", name, found) {
            continue;
        }
        if Some(name.text) == parent {
            let (name, by, at) =
                (excerpt(name.text), "`parent`, which makes it".to_owned(), name.at);
            found.say(at, Problem::Taken { what: "field", name, by, repair: "remove it here" });
            continue;
        }
        let by = format!("field `{}`", excerpt(name.text));
        if !refuse_reserved_column(column, found) {
            let taken = columns.claim("column", column.text, &by);
            if taken.is_some() {
                found.extend(column.at, taken);
                continue;
            }
        }
        found.extend(name.at, wires.claim(on_wire, &case.wire(name.text), &by));
    }
}

/// Reports a name that is reserved for the system. Returns whether the name was reported.
fn refuse_reserved<P: Copy>(
    what: &'static str,
    name: PlacedText<'_, P>,
    found: &mut Faults<P>,
) -> bool {
    let reason = SYSTEM.iter().find(|(system, _)| *system == name.text).map(|(_, reason)| *reason);
    refuse(what, name, reason, found)
}

/// Reports a column that has the name of a system column, without regard to ASCII case. Returns
/// whether the column was reported.
fn refuse_reserved_column<P: Copy>(column: PlacedText<'_, P>, found: &mut Faults<P>) -> bool {
    let mut system = SYSTEM.iter();
    let reason = system
        .find(|(system, _)| system.eq_ignore_ascii_case(column.text))
        .map(|(_, reason)| *reason);
    refuse("column", column, reason, found)
}

fn refuse<P: Copy>(
    what: &'static str,
    name: PlacedText<'_, P>,
    reason: Option<&'static str>,
    found: &mut Faults<P>,
) -> bool {
    if let Some(reason) = reason {
        found.say(name.at, Problem::Reserved { what, name: excerpt(name.text), reason });
    }
    reason.is_some()
}

/// Checks that the alias of a reference differs from all fields and from other aliases. The alias
/// is the name of the target member, such as `zoo` for the field `zoo_id`.
fn check_aliases<P: Copy>(noun: &Noun<'_, P>, found: &mut Faults<P>) {
    let mut names = field_names(noun);
    let parent = noun.parent.as_ref().map(|parent| parent.field.text);
    for (field, reference) in references(noun) {
        let alias = reference.alias;
        let is_own = Some(field) == parent || alias.text == field;
        if !is_own && !refuse_reserved("reference", alias, found) {
            let by = format!("the reference `{}`", excerpt(field));
            found.extend(alias.at, names.claim("reference", alias.text, &by));
        }
    }
}

/// Checks that the reverse name of a reference is unique among the names of the target resource.
/// The reverse name is the name there for the referring members, such as `home_games`.
fn check_children<P: Copy>(nouns: &[Noun<'_, P>], found: &mut Faults<P>) {
    let mut targets: HashMap<&str, Names> =
        nouns.iter().map(|noun| (noun.name.text, target_names(noun))).collect();
    for noun in nouns {
        let parent = noun.parent.as_ref().map(|parent| parent.resource.text);
        if let Some(names) = parent.and_then(|parent| targets.get_mut(parent)) {
            names.insert(noun.collection.text, &format!("the collection of {}", describe(noun)));
        }
    }
    for noun in nouns {
        for (field, reference) in references(noun) {
            let Some(children) = reference.children else { continue };
            let Some(names) = targets.get_mut(reference.resource.text) else { continue };
            let by = format!("the reference `{}` of {}", excerpt(field), describe(noun));
            if !refuse_reserved("reverse", children, found) {
                found.extend(children.at, names.claim("reverse", children.text, &by));
            }
        }
    }
}

fn field_names<P>(noun: &Noun<'_, P>) -> Names {
    let mut names = Names::default();
    if let Some(parent) = noun.parent.as_ref().map(|parent| parent.field.text) {
        names.insert(parent, "`parent`");
        names.insert(ReferenceDef::usual_alias(parent), "`parent`");
    }
    for attribute in &noun.attributes {
        names.insert(attribute.name.text, &format!("field `{}`", excerpt(attribute.name.text)));
    }
    names
}

fn target_names<P: Copy>(noun: &Noun<'_, P>) -> Names {
    let mut names = field_names(noun);
    for (field, reference) in references(noun) {
        names.insert(reference.alias.text, &format!("the reference `{}`", excerpt(field)));
    }
    names
}

/// The references of a resource, each with the name of its field.
fn references<'n, 'd, P: Copy>(
    noun: &'n Noun<'d, P>,
) -> impl Iterator<Item = (&'d str, Pointer<'d, P>)> + 'n {
    noun.attributes.iter().filter_map(|attribute| Some((attribute.name.text, attribute.reference?)))
}
