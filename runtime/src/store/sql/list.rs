//! The SQL of the lists that come with a row.
//!
//! In SQLite, a statement of its own selects the rows of a list, for each row above. In PostgreSQL
//! a list is a cell of its row, an array of records: a second statement would wait for the ids of
//! the first. The server sends a row as a whole, so the array must be bounded before.
//!
//! A union with a branch for each list takes a quarter less of the server's time for lists of 20
//! rows. But a row of it has its lists only at the end of the statement, so no page could end
//! early, and no export could be a stream.

use super::{
    Dialect,
    join::JoinNames,
    parameters::Origin,
    text::{SqlText, ValueSource},
};
use crate::{
    base::limits,
    model::{FieldIx, FieldModel, ListSelection, RelatedSelections, ResourceIx, def::FieldKind},
};

/// The size of a record, in bytes, up to which a list has no bound besides its limit. All records
/// of the longest list have a few megabytes then.
const SMALL_RECORD_BYTES_MAX: usize = 1024;

/// The size of an array, in bytes, beyond which NULL stands for a record that does not fit. Records
/// may have twice as many bytes as what is rendered of them.
const ARRAY_BYTES_MAX: usize = 2 * limits::RELATED_LISTS_BYTES_MAX;

/// The maximum size of a value that has no text.
const VALUE_BYTES_MAX: usize = 32;

impl SqlText<'_> {
    /// Writes the statement that selects the rows of a list.
    pub(super) fn list_rows(&mut self, reference: FieldIx, list: &ListSelection) {
        let owner = self.part(|text| text.bind(Origin::ListOwner));
        self.rows_of_list(list, reference, &owner, &Origin::Limit);
    }

    /// Writes the cell of a list of the current row, which is one of this resource.
    pub(super) fn list_cell(&mut self, of: ResourceIx, list: &ListSelection) {
        let model = self.model;
        let id = self.part(|text| text.column(&model[of][FieldIx::ID]));
        match self.dialect {
            Dialect::Sqlite => self.push(&id),
            Dialect::Postgres => self.array(of, list, &id),
        }
    }

    /// Writes the array of the rows of a list.
    fn array(&mut self, of: ResourceIx, list: &ListSelection, owner: &str) {
        let (target, reference) = list.reference(&self.model[of]);
        let (alias, before, limit) = self.next_list(list);
        let flat = self.place.flat(target);
        let place = std::mem::replace(&mut self.place, flat);
        let source = std::mem::replace(&mut self.source, ValueSource::List(before));
        let rows = self.part(|text| {
            text.of_row(&alias, |text| text.rows_of_list(list, reference, owner, &limit));
        });
        let array = match self.may_be_large(target, &list.fields, &list.related) {
            false => format!("ARRAY({rows})"),
            true if list.related.has_lists() => bounded(&rows),
            true => {
                let limit = self.part(|text| text.whole_number(limit));
                bounded_if_large(&rows, &limit)
            }
        };
        self.push(&array);
        (self.place, self.source) = (place, source);
    }

    /// Writes the selection of the rows of a list, whose alias is that of the current row.
    ///
    /// PostgreSQL might make the lists inside of it for rows that the limit leaves out. So the rows
    /// are limited before.
    fn rows_of_list(
        &mut self,
        list: &ListSelection,
        reference: FieldIx,
        owner: &str,
        limit: &Origin,
    ) {
        let (model, target) = (self.model, self.place.resource);
        let (alias, related) = (self.row.to_string(), &list.related);
        let is_postgres = self.dialect == Dialect::Postgres;
        let is_limited_before = is_postgres && !related.is_empty();
        let keys = self.keys(&list.sort, &list.filter, &[]);
        self.push(if is_postgres { "SELECT ROW(" } else { "SELECT " });
        let fields = [FieldIx::ID].iter().chain(&list.fields);
        self.separated(", ", fields, |text, field| text.cell(&model[target][*field]));
        self.cells_of(target, related, &mut JoinNames::of_list(&alias));
        self.push(if is_postgres { ")" } else { "" });
        self.push(" FROM ");
        self.push(if is_limited_before { "(SELECT * FROM " } else { "" });
        self.name(model[target].def.table);
        self.push(&format!(" AS {alias}"));
        if !is_limited_before {
            self.joins_of(target, related, &mut JoinNames::of_list(&alias));
        }
        self.push(" WHERE ");
        self.column(&model[target][reference]);
        self.push(&format!(" = {owner}"));
        self.and_condition(target, &list.filter);
        self.and_readable(target, alias.clone());
        self.order(&keys, false);
        self.push(" LIMIT ");
        self.whole_number(limit.clone());
        self.push(" + 1");
        if is_limited_before {
            self.push(&format!(") AS {alias}"));
            self.joins_of(target, related, &mut JoinNames::of_list(&alias));
            self.order(&keys, false);
        }
    }

    /// Writes a column as the cell of a row. In an array no text is compressed, so that the size of
    /// its record is that of the texts.
    pub(super) fn cell(&mut self, field: &FieldModel) {
        let is_in_array = matches!(self.source, ValueSource::List(_));
        match field.kind {
            FieldKind::Json if is_in_array => {
                self.push("CAST(");
                self.column(field);
                self.push(" AS text)");
            }
            FieldKind::String if is_in_array && bytes_max(field) > VALUE_BYTES_MAX => {
                self.column(field);
                self.push(" || ''");
            }
            _ => self.column(field),
        }
    }

    /// Whether records with these fields, and with these related rows, may be large.
    fn may_be_large(
        &self,
        of: ResourceIx,
        fields: &[FieldIx],
        related: &RelatedSelections,
    ) -> bool {
        related.has_lists() || self.record_bytes(of, fields, related) > SMALL_RECORD_BYTES_MAX
    }

    /// The maximum size of the values of these fields, and of the members that come with the row.
    fn record_bytes(
        &self,
        of: ResourceIx,
        fields: &[FieldIx],
        related: &RelatedSelections,
    ) -> usize {
        let model = self.model;
        let own = fields.iter().map(|field| bytes_max(&model[of][*field]));
        let members = related.members.iter().map(|one| {
            let (target, _) = one.reference(&model[of]);
            self.record_bytes(target, &one.fields, &one.related)
        });
        own.chain(members).fold(VALUE_BYTES_MAX, usize::saturating_add)
    }
}

/// Returns the array of records, which this statement selects, as far as they have at most
/// [`ARRAY_BYTES_MAX`] together.
fn bounded(rows: &str) -> String {
    format!(
        "ARRAY(SELECT CASE WHEN b > {ARRAY_BYTES_MAX} THEN NULL ELSE r END FROM (SELECT r, \
         sum(pg_column_size(r)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS b \
         FROM ({rows}) AS x(r)) AS y)"
    )
}

/// Returns the same array, and takes a quarter less time if no record is large: the sizes are added
/// only if one record has more than its share. The text has the statement twice, so records with
/// lists, whose text has theirs twice, have the other form.
fn bounded_if_large(rows: &str, limit: &str) -> String {
    format!(
        "(SELECT CASE WHEN array_position(a, NULL) IS NULL THEN a ELSE {} END FROM (SELECT \
         ARRAY(SELECT CASE WHEN pg_column_size(r) > {ARRAY_BYTES_MAX} / ({limit} + 1) THEN NULL \
         ELSE r END FROM ({rows}) AS x(r)) AS a OFFSET 0) AS z)",
        bounded(rows),
    )
}

/// The maximum size of the values of a field, in bytes.
fn bytes_max(field: &FieldModel) -> usize {
    let length_max = || field.def.and_then(|def| def.max_length);
    match field.kind {
        FieldKind::Json => usize::MAX,
        // A character has at most 4 bytes in UTF-8.
        FieldKind::String if field.def.is_some() => {
            length_max().map_or(usize::MAX, |characters| 4 * characters as usize)
        }
        _ => VALUE_BYTES_MAX,
    }
}
