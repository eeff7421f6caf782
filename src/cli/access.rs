//! `nouns access`: prints the access rules of a schema file for each class of callers.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

use clap::Args;
use nouns_codegen::schema::{
    CallerClass, Condition, Field, FieldAccess, IdKind, Literal, Resource, Rule, Schema,
};
use nouns_runtime::def::Operation;

use super::{Failure, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns access newsroom.yaml
  nouns access newsroom.yaml --as role:editor";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Access {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// One class of callers: `anonymous`, `signed_in` or `role:NAME`. Without this, all of them.
    #[arg(long = "as", value_name = "CALLER")]
    class: Option<String>,
}

/// The keys of access rules, each with the operations that it decides.
const KEYS: [(&str, &[Operation]); 4] = [
    ("read", &[Operation::List, Operation::Get]),
    ("create", &[Operation::Create, Operation::Replace]),
    ("update", &[Operation::Replace, Operation::Update]),
    ("delete", &[Operation::Delete, Operation::DeleteMany]),
];

/// The cell of an operation that the resource does not have.
const NO_METHOD: &str = "-";

impl Access {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let rules = Rules { schema: &schema };
        let text = match &self.class {
            Some(class) => rules.of_class(&rules.class(class)?),
            None => rules.of_all(),
        };
        print(&text);
        Ok(())
    }
}

/// The access rules of a schema.
pub(super) struct Rules<'s> {
    pub(super) schema: &'s Schema,
}

impl Rules<'_> {
    /// Parses a class of callers.
    pub(super) fn class(&self, text: &str) -> Result<CallerClass, Failure> {
        let known = self.roles();
        let Some(role) = text.strip_prefix("role:") else {
            return match text {
                "anonymous" => Ok(CallerClass::Anonymous),
                "signed_in" => Ok(CallerClass::SignedIn),
                _ if known.contains(text) => {
                    Err(Failure(format!("error: a role is written `--as role:{text}`")))
                }
                _ => Err(Failure(format!(
                    "error: `--as {text}`: callers are `anonymous`, `signed_in` or `role:NAME`"
                ))),
            };
        };
        if known.contains(role) {
            return Ok(CallerClass::Role(role.to_owned()));
        }
        let roles = match known.len() {
            0 => "no rule names a role".to_owned(),
            _ => {
                let roles: Vec<_> = known.iter().map(|role| format!("`{role}`")).collect();
                format!("the roles are {}", roles.join(", "))
            }
        };
        Err(Failure(format!("error: there is no role `{role}`; {roles}")))
    }

    /// The roles that rules name, and those that an account can have.
    fn roles(&self) -> BTreeSet<&str> {
        let named = self.schema.resources.iter().flat_map(Resource::roles);
        let auth = self.schema.auth.as_ref();
        let accounts = self
            .schema
            .resources
            .iter()
            .find(|one| auth.is_some_and(|auth| auth.accounts == one.name));
        let mut fields = accounts.into_iter().flat_map(|accounts| &accounts.fields);
        let role = auth.and_then(|auth| auth.role.as_deref());
        let field = fields.find(|field| Some(field.name.as_str()) == role);
        let choices = field.into_iter().flat_map(|field| field.domain.choices.iter());
        let choices = choices.filter_map(|choice| match choice {
            Literal::String(role) => Some(role.as_str()),
            _ => None,
        });
        named.chain(choices).collect()
    }

    /// All classes of callers that rules tell apart.
    fn classes(&self) -> Vec<CallerClass> {
        let roles: BTreeSet<_> = self.schema.resources.iter().flat_map(Resource::roles).collect();
        let of_roles = roles.into_iter().map(|role| CallerClass::Role(role.to_owned()));
        [CallerClass::Anonymous, CallerClass::SignedIn].into_iter().chain(of_roles).collect()
    }

    /// The members for which a class of callers may do what a key is about. `None` if the resource
    /// has no such method.
    pub(super) fn condition(
        &self,
        of: &Resource,
        key: &str,
        class: &CallerClass,
    ) -> Option<Condition> {
        let (_, operations) = KEYS.iter().find(|(known, _)| *known == key)?;
        let takes_ids = of.id == IdKind::String || of.optional_id;
        let is_offered = |operation: &&Operation| {
            of.methods.contains(operation)
                && (key != "create" || **operation == Operation::Create || takes_ids)
        };
        operations.iter().find(is_offered)?;
        let lacks = |field: &Field| {
            field.required && field.default.is_none() && !field.access.may_write(class)
        };
        if key == "create" && of.fields.iter().any(lacks) {
            return Some(Condition::Never);
        }
        Some(match key {
            "read" => self.readable(of, class),
            key => self.declared(of, key, class),
        })
    }

    /// The members that a class of callers may read: the parent must be readable, too.
    fn readable(&self, of: &Resource, class: &CallerClass) -> Condition {
        let own = self.declared(of, "read", class);
        let above = of.parent.as_ref().and_then(|parent| {
            let resource = self.schema.resources.iter().find(|one| one.name == parent.resource)?;
            Some((parent, self.readable(resource, class)))
        });
        match above {
            Some((parent, above)) => own.below(parent, above),
            None => own,
        }
    }

    /// Returns the condition of the rule of a key, or the one that holds without a rule.
    fn declared(&self, of: &Resource, key: &str, class: &CallerClass) -> Condition {
        let declared = of.access.rules().find(|(known, _)| *known == key);
        let is_open = self.schema.auth.is_none();
        let usual = if is_open { Rule::Public } else { Rule::SignedIn };
        declared.map_or(&usual, |(_, rule)| rule).condition(class)
    }

    /// The text for one class of callers: conditions are written out.
    fn of_class(&self, class: &CallerClass) -> String {
        let mut text = format!("as {class}\n");
        for of in &self.schema.resources {
            text.push_str(&format!("\n{}\n", of.name));
            for (key, _) in KEYS {
                let cell = self
                    .condition(of, key, class)
                    .map_or(NO_METHOD.to_owned(), |condition| condition.to_string());
                line(&mut text, &format!("  {key:<8}{cell}"));
            }
            let fields = |may: fn(&FieldAccess, &CallerClass) -> bool| {
                let fields = of.fields.iter().filter(|field| !may(&field.access, class));
                fields.map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
            };
            for (what, names) in [
                ("may not read", fields(FieldAccess::may_read)),
                ("may not write", fields(FieldAccess::may_write)),
            ] {
                if !names.is_empty() {
                    line(&mut text, &format!("  {what}: {names}"));
                }
            }
        }
        text
    }

    /// The text for all classes: a column for each. A condition has a number there, and is written
    /// out below.
    fn of_all(&self) -> String {
        let classes = self.classes();
        let mut tables = vec![];
        for of in &self.schema.resources {
            let mut notes: Vec<String> = vec![];
            let mut rows = vec![
                [of.name.clone()]
                    .into_iter()
                    .chain(classes.iter().map(CallerClass::to_string))
                    .collect(),
            ];
            for (key, _) in KEYS {
                let cell = |class| match self.condition(of, key, class) {
                    None => NO_METHOD.to_owned(),
                    Some(condition @ (Condition::Always | Condition::Never)) => {
                        condition.to_string()
                    }
                    Some(condition) => noted(condition.to_string(), &mut notes),
                };
                rows.push(
                    [format!("  {key}")].into_iter().chain(classes.iter().map(cell)).collect(),
                );
            }
            for field in of.fields.iter().filter(|field| field.access.rules().next().is_some()) {
                let cell =
                    |class| match (field.access.may_read(class), field.access.may_write(class)) {
                        (true, true) => "yes",
                        (true, false) => "read",
                        (false, true) => "write",
                        (false, false) => "no",
                    };
                let cells = classes.iter().map(cell).map(str::to_owned);
                rows.push([format!("  .{}", field.name)].into_iter().chain(cells).collect());
            }
            tables.push(Table { rows, notes });
        }
        let widths = widths(&tables);
        let mut text = String::new();
        for (at, table) in tables.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            table.write(&widths, &mut text);
        }
        text
    }
}

/// The rules of one resource: rows of cells, and the conditions that cells refer to.
struct Table {
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// The width of each column, which is the same for all resources.
fn widths(tables: &[Table]) -> Vec<usize> {
    let mut widths = vec![];
    for row in tables.iter().flat_map(|table| &table.rows) {
        widths.resize(row.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    widths
}

impl Table {
    fn write(&self, widths: &[usize], to: &mut String) {
        for row in &self.rows {
            let mut text = String::new();
            for (cell, width) in row.iter().zip(widths) {
                write!(text, "{cell:<width$}  ").expect("writing to a String never fails");
            }
            line(to, &text);
        }
        for (at, note) in self.notes.iter().enumerate() {
            line(to, &format!("  ({}) {note}", at + 1));
        }
    }
}

/// The cell of a condition: the number of its note.
fn noted(condition: String, notes: &mut Vec<String>) -> String {
    let at = notes.iter().position(|note| *note == condition).unwrap_or_else(|| {
        notes.push(condition);
        notes.len() - 1
    });
    format!("({})", at + 1)
}

/// Adds a line without spaces at its end.
fn line(to: &mut String, text: &str) {
    to.push_str(text.trim_end());
    to.push('\n');
}
