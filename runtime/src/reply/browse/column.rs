//! The cells of a page: how the values of a field look, and where they lead.

use serde::Serialize;

use super::reader::may_get;
use crate::{
    base::visible::is_visible,
    model::{Chain, FieldModel, Model, Role, def::FieldKind, encoded},
    request::action::Action,
    store::sink::{CellColumn, CellRow},
};

/// The longest text of a cell in a table, in characters. The page of the member has the rest.
const CELL_CHARACTERS: usize = 120;

/// The longest text of a value on the page of a member, in characters. JSON has the rest. A page
/// stays small enough for a worker, also if each character is escaped.
const VALUE_CHARACTERS: usize = 10_000;

/// A cell of a table, or a value of a member.
#[derive(Serialize)]
pub(super) struct CellView {
    /// The text for people.
    text: String,
    /// The exact value, if the text differs from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
    /// The class of the cell: `none`, `text`, `number`, `time`, `choice` or `code`.
    look: &'static str,
    /// The page of the member that the cell refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<String>,
}

impl CellView {
    /// Shows the label of the member that the cell refers to. The exact value is its id.
    fn labelled(self, label: &str, characters: usize) -> Self {
        let text = beginning(label, characters);
        Self { exact: Some(self.text), text, ..self }
    }

    /// Makes the cell a link.
    pub(super) fn leading(self, href: String) -> Self {
        Self { href: Some(href), text: named(self.text), ..self }
    }
}

/// A column of a page, with what its cells have in common.
pub(super) struct TableColumn<'m> {
    pub(super) field: &'m FieldModel,
    cells: CellColumn<'m>,
    look: &'static str,
    /// The URL of a cell's member without its id, if the cells are references that have pages.
    target: Option<String>,
    /// Whether a table has the column.
    pub(super) is_shown: bool,
}

impl<'m> TableColumn<'m> {
    /// Creates a column for members of the collection `chain`.
    pub(super) fn new(
        model: &Model,
        action: &Action,
        chain: &Chain,
        cells: CellColumn<'m>,
    ) -> Self {
        let field = cells.field;
        let target = target(model, action, chain, field);
        Self { field, cells, look: look(field), target, is_shown: true }
    }

    /// Hides the column of the parent if all members of the collection have the same one.
    pub(super) fn hide_parent(&mut self, chain: &Chain) {
        self.is_shown = self.field.role != Role::Parent || chain.ids.is_empty();
    }

    /// The class of the cells of the column, unless they have no value.
    pub(super) const fn look(&self) -> &'static str {
        self.look
    }

    /// Returns the cell of a table. Long texts are cut.
    pub(super) fn short(&self, row: CellRow<'_>) -> CellView {
        self.cell(row, CELL_CHARACTERS)
    }

    /// Returns a value of a member. Very long texts are cut.
    pub(super) fn long(&self, row: CellRow<'_>) -> CellView {
        self.cell(row, VALUE_CHARACTERS)
    }

    /// Returns the text of the column in a row.
    pub(super) fn text<'s>(&self, row: CellRow<'s>) -> Option<&'s str> {
        row.text(&self.cells)
    }

    fn cell(&self, row: CellRow<'_>, characters: usize) -> CellView {
        let Some(text) = self.text(row) else {
            // A missing number stands below the others of its column.
            let look = if self.look == "number" { "none number" } else { "none" };
            return CellView { text: "–".into(), exact: None, look, href: None };
        };
        let href = self.target.as_ref().map(|target| {
            let mut href = target.clone();
            href.extend(encoded(text));
            href
        });
        if let Some(label) = row.label(&self.cells).filter(|label| is_visible(label)) {
            let text = beginning(text, characters);
            let cell = CellView { text, exact: None, look: self.look, href };
            return cell.labelled(label, characters);
        }
        let (text, exact) = match minute(self.field.kind, text) {
            Some(minute) => (minute, Some(text.to_owned())),
            None if href.is_some() => (named(beginning(text, characters)), None),
            None => (beginning(text, characters), None),
        };
        CellView { text, exact, look: self.look, href }
    }
}

/// Returns the beginning of a text, with `…` if it has more characters.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => [&text[..end], "…"].concat(),
        None => text.to_owned(),
    }
}

/// Returns the text of a link: the text itself, or a word for one that nobody sees.
pub(super) fn named(text: String) -> String {
    match text.as_str() {
        "" => "(empty)".into(),
        blank if !is_visible(blank) => "(blank)".into(),
        _ => text,
    }
}

/// Returns the date and the minute of a `datetime`, in UTC.
fn minute(kind: FieldKind, text: &str) -> Option<String> {
    if kind != FieldKind::DateTime {
        return None;
    }
    let (date, time) = text.split_once('T')?;
    Some([date, " ", time.get(..5)?].concat())
}

fn look(field: &FieldModel) -> &'static str {
    match field.kind {
        _ if field.role == Role::Id || field.target.is_some() => "text",
        _ if field.constraints.choices().is_some() => "choice",
        FieldKind::Integer | FieldKind::Number | FieldKind::Decimal { .. } => "number",
        FieldKind::Boolean => "choice",
        FieldKind::Date | FieldKind::Time | FieldKind::DateTime => "time",
        FieldKind::Json | FieldKind::Uuid => "code",
        FieldKind::String | FieldKind::Reference | FieldKind::Password => "text",
    }
}

/// Returns the URL of the members that a field refers to, without the id; `None` if the reader may
/// read none. A member of a nested collection has a URL only if the parent is in the URL of the
/// request.
fn target(model: &Model, action: &Action, chain: &Chain, field: &FieldModel) -> Option<String> {
    let target = &model[field.target?];
    let chain = match (field.role, chain.ids.split_last()) {
        (Role::Parent, Some((_, above))) => Chain { resource: target.ix, ids: above.to_vec() },
        _ if target.at_top() => Chain { resource: target.ix, ids: vec![] },
        _ => return None,
    };
    let url = model.urls.link(&[&crate::reply::path(model, &chain), "/"].concat());
    may_get(model, action, chain).then_some(url)
}
