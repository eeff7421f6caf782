//! The sinks that render rows as JSON objects. They write JSON directly from borrowed cells,
//! without an intermediate struct or tree.

use super::{Cell, FoundReferences, Row, RowSink, render_list, repaired};
use crate::{
    base::json::write_string,
    model::{Layout, LayoutItem, LayoutList, Model, def::FieldKind, value},
};

/// The initial capacities of the buffer for one member and for a page, in bytes. Most responses fit
/// into them.
const MEMBER_BYTES: usize = 512;
const PAGE_BYTES: usize = 8 * 1024;

/// The JSON text before the first member in a response with several members.
pub(crate) const MEMBERS_OPENING: &str = "{\"items\":[";
/// The JSON text after the last member. It is not used for pages, which have links after their
/// members.
pub(crate) const MEMBERS_CLOSING: &[u8] = b"]}";

/// Renders members as JSON objects with commas between them.
#[derive(Clone, Debug)]
pub struct JsonSink {
    layout: Layout,
    opening: &'static str,
    bytes: Vec<u8>,
    rows: u32,
    /// The members that the rows refer to, if they are to be pushed.
    references: Option<Box<FoundReferences>>,
}

impl JsonSink {
    /// Creates an empty sink. The rendered bytes begin with `opening`, for example `{"items":[`.
    #[must_use]
    pub fn new(layout: Layout, opening: &'static str) -> Self {
        let mut bytes =
            Vec::with_capacity(if opening.is_empty() { MEMBER_BYTES } else { PAGE_BYTES });
        bytes.extend_from_slice(opening.as_bytes());
        Self { layout, opening, bytes, rows: 0, references: None }
    }

    /// Sets whether the sink remembers which members the rows refer to.
    #[must_use]
    pub fn with_references(mut self, wanted: bool) -> Self {
        self.references = wanted.then(Box::default);
        self
    }

    /// Returns the parts of a row that the sink shows.
    #[cfg(feature = "postgres")]
    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the members that the rows refer to; `None` if the sink does not remember them.
    pub(crate) fn references(&self) -> Option<&FoundReferences> {
        self.references.as_deref()
    }

    /// Returns the bytes that were rendered so far: the opening (such as `{"items":[`) and the
    /// members.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the rendered bytes: the opening (such as `{"items":[`) and the members.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl RowSink for JsonSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        if self.rows > 0 {
            self.bytes.push(b',');
        }
        self.rows += 1;
        let begun = self.bytes.len();
        write_object(&mut self.bytes, begun, self.layout.items(model), model, row);
        if let Some(references) = &mut self.references {
            references.add(&self.layout, model, row);
        }
    }

    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn reset(&mut self) {
        self.bytes.truncate(self.opening.len());
        self.rows = 0;
        if let Some(references) = &mut self.references {
            references.clear();
        }
    }
}

/// Renders members as JSON objects, each followed by a line feed (NDJSON).
#[derive(Clone, Debug)]
pub struct NdjsonSink {
    layout: Layout,
    bytes: Vec<u8>,
}

impl NdjsonSink {
    /// Creates an empty sink.
    #[must_use]
    pub const fn new(layout: Layout) -> Self {
        Self { layout, bytes: vec![] }
    }

    /// Returns the parts of a row that the sink shows.
    #[cfg(feature = "postgres")]
    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the buffer with the rendered bytes.
    pub(super) const fn content(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Returns the lines that were rendered so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the rendered lines.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl RowSink for NdjsonSink {
    fn row(&mut self, model: &Model, row: &impl Row) {
        let begun = self.bytes.len();
        write_object(&mut self.bytes, begun, self.layout.items(model), model, row);
        // The stored text of a JSON field may contain line breaks. They can only occur between
        // tokens, where a space has the same meaning: inside strings, line breaks are escaped (RFC
        // 8259 §2, §7).
        if self.layout.has_json(model) {
            for byte in self.bytes[begun..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r'))
            {
                *byte = b' ';
            }
        }
        self.bytes.push(b'\n');
    }

    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn reset(&mut self) {
        self.bytes.clear();
    }
}

/// Writes a row of the member that begins at `member_at`.
fn write_object(
    to: &mut Vec<u8>,
    member_at: usize,
    items: &[LayoutItem],
    model: &Model,
    row: &(impl Row + ?Sized),
) {
    let object_at = to.len();
    for item in items {
        match item {
            LayoutItem::Cell(cell) => {
                let field = cell.field(model);
                to.extend_from_slice(&field.prefix);
                write_cell(to, field.kind, row.cell(cell.at.into()));
            }
            LayoutItem::Member(member) => {
                to.extend_from_slice(&member.relation(model).prefix);
                match row.cell(member.id.into()) {
                    Cell::Null => to.extend_from_slice(b"null"),
                    _ => write_object(to, member_at, &member.items, model, row),
                }
            }
            LayoutItem::List(list) => {
                to.extend_from_slice(&list.relation(model).prefix);
                write_list(to, member_at, list, model, row);
            }
        }
    }
    // The prefix of every item begins with a comma. The first comma is replaced by the opening
    // brace.
    match to.get_mut(object_at) {
        Some(first) => *first = b'{',
        None => to.push(b'{'),
    }
    to.push(b'}');
}

/// Writes the rows of a list, and whether there are more.
fn write_list(
    to: &mut Vec<u8>,
    member_at: usize,
    list: &LayoutList,
    model: &Model,
    row: &(impl Row + ?Sized),
) {
    to.extend_from_slice(MEMBERS_OPENING.as_bytes());
    let rows_at = to.len();
    let has_more = render_list(row, list, rows_at - member_at, |row| {
        if to.len() > rows_at {
            to.push(b',');
        }
        write_object(to, member_at, &list.items, model, row);
        to.len() - member_at
    });
    to.extend_from_slice(if has_more { b"],\"has_more\":true}" } else { MEMBERS_CLOSING });
}

fn write_cell(to: &mut Vec<u8>, kind: FieldKind, cell: Cell<'_>) {
    match (cell, kind) {
        (Cell::Null, _) => to.extend_from_slice(b"null"),
        (Cell::Integer(value), FieldKind::Boolean) => {
            to.extend_from_slice(if value == 0 { b"false" } else { b"true" });
        }
        (Cell::Integer(value), FieldKind::Decimal { scale }) => {
            to.push(b'"');
            to.extend_from_slice(value::spell_decimal(value, scale).as_bytes());
            to.push(b'"');
        }
        (Cell::Integer(value), _) => {
            to.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        }
        // Another program may have stored an infinite number, which JSON cannot represent (RFC 8259
        // §6).
        (Cell::Number(value), _) if !value.is_finite() => to.extend_from_slice(b"null"),
        (Cell::Number(value), _) => {
            to.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
        }
        (Cell::Text(text), FieldKind::Json) => to.extend_from_slice(repaired(text).as_bytes()),
        (Cell::Text(text), _) if is_plain(text) => {
            to.push(b'"');
            to.extend_from_slice(text);
            to.push(b'"');
        }
        (Cell::Text(text), _) => write_string(to, &repaired(text)),
    }
}

/// Whether a text is ASCII that needs no escape in a JSON string. This is true for most texts. The
/// function tests eight bytes at a time.
fn is_plain(text: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    // Sets the high bit of each byte that is 0. It may also set the bit of a byte next to a zero
    // byte. The result is 0 exactly if no byte is 0.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let odd = |bytes: &[u8; 8]| {
        let word = u64::from_ne_bytes(*bytes);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        word | control
            | zeros(word ^ (ONES * u64::from(b'"')))
            | zeros(word ^ (ONES * u64::from(b'\\')))
    };
    let (words, rest) = text.as_chunks::<8>();
    // The last eight bytes, which may overlap with a word that is also tested. A text of less than
    // eight bytes is padded with spaces.
    let last = text.last_chunk::<8>().copied().unwrap_or_else(|| {
        let mut filled = [b' '; 8];
        filled[..rest.len()].copy_from_slice(rest);
        filled
    });
    words.iter().fold(odd(&last), |all, word| all | odd(word)) & HIGHS == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cell(kind: FieldKind, cell: Cell<'_>) -> String {
        let mut to = vec![];
        write_cell(&mut to, kind, cell);
        String::from_utf8(to).unwrap()
    }

    #[test]
    fn cells_are_written_by_their_kind() {
        assert_eq!(cell(FieldKind::Boolean, Cell::Integer(1)), "true");
        assert_eq!(cell(FieldKind::Decimal { scale: 2 }, Cell::Integer(-5)), "\"-0.05\"");
        assert_eq!(cell(FieldKind::Integer, Cell::Integer(i64::MIN)), "-9223372036854775808");
        assert_eq!(cell(FieldKind::Number, Cell::Number(2.5)), "2.5");
        assert_eq!(cell(FieldKind::Number, Cell::Number(f64::INFINITY)), "null");
        assert_eq!(cell(FieldKind::String, Cell::Text(b"a\xffb")), "\"a\u{fffd}b\"");
        assert_eq!(cell(FieldKind::Json, Cell::Text(b"[1, 2]")), "[1, 2]");
    }

    proptest! {
        #[test]
        fn strings_are_those_of_an_independent_writer(text in any::<String>()) {
            let mut to = vec![];
            write_string(&mut to, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&to).unwrap(), text);
        }

        #[test]
        fn a_plain_text_is_one_that_is_written_as_it_is(
            text in prop::collection::vec(prop_oneof![8 => b' '..=b'~', 1 => any::<u8>()], 0..40),
        ) {
            let is_ascii = text.iter().all(u8::is_ascii);
            let written = cell(FieldKind::String, Cell::Text(&text));
            let stands_for_itself = is_ascii && written.as_bytes()[1..written.len() - 1] == text[..];
            prop_assert_eq!(is_plain(&text), stands_for_itself);
            let expected = String::from_utf8_lossy(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), expected);
        }

        #[test]
        fn numbers_come_back_as_they_went(number in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
            prop_assert_eq!(cell(FieldKind::Number, Cell::Number(number)).parse::<f64>().unwrap(), number);
        }
    }
}
