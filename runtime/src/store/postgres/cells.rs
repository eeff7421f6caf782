//! The cells of a row in PostgreSQL's binary form.

use std::error::Error;

use tokio_postgres::{
    Row as ServerRow,
    types::{FromSql, Type},
};
use uuid::Uuid;

use super::{
    moment::{self, ShortText},
    numeric, records,
};
use crate::{
    model::LayoutList,
    store::sink::{Cell, Row},
};

/// A row of a result, with the texts of those cells whose binary form is no text.
pub(super) struct BinaryRow {
    /// `None` if the texts were copied.
    row: Option<ServerRow>,
    cells: Vec<DecodedCell>,
    /// The spelled texts, one after the other.
    texts: Vec<u8>,
}

/// A cell, as far as it had to be decoded.
pub(super) enum DecodedCell {
    Null,
    Integer(i64),
    Number(f64),
    /// A text, or the rows of a list. Its bytes are in the row, as the server has sent them.
    Text,
    /// The text was spelled from another form. It is in the texts of the row, between these.
    Spelled(u32, u32),
}

/// The size of the texts of most rows: two times, and a date.
const TEXTS_BYTES: usize = 64;

/// The bytes of a cell, in the form that the server has sent.
pub(super) struct RawCell<'r>(pub(super) &'r [u8]);

impl<'r> FromSql<'r> for RawCell<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl BinaryRow {
    /// Decodes a row. `None` if a cell has a type that no declaration knows.
    pub(super) fn read(row: ServerRow) -> Option<Self> {
        let (mut cells, mut texts) = (Vec::with_capacity(row.len()), vec![]);
        for (at, column) in row.columns().iter().enumerate() {
            cells.push(match raw(&row, at) {
                Some(raw) => decoded(raw, column.type_(), &mut texts)?,
                None => DecodedCell::Null,
            });
        }
        Some(Self { row: Some(row), cells, texts })
    }

    /// Decodes a row without the cells that nobody reads. It does not keep the memory of the whole
    /// row: the texts of the other cells are copied.
    pub(super) fn read_without(row: ServerRow, unread: &[bool]) -> Option<Self> {
        let mut this = Self::read(row)?;
        let row = this.row.take()?;
        for (at, cell) in this.cells.iter_mut().enumerate() {
            if unread.get(at).is_some_and(|is_unread| *is_unread) {
                *cell = DecodedCell::Null;
            } else if matches!(cell, DecodedCell::Text) {
                let start = this.texts.len() as u32;
                this.texts.extend_from_slice(raw(&row, at).unwrap_or_default());
                *cell = DecodedCell::Spelled(start, this.texts.len() as u32);
            }
        }
        Some(this)
    }

    /// The size of the row, in bytes.
    pub(super) fn size(&self) -> usize {
        let received = self.row.as_ref().map_or(0, ServerRow::raw_size_bytes);
        received + self.texts.len() + self.cells.len() * size_of::<DecodedCell>()
    }

    /// The number of cells.
    pub(super) const fn len(&self) -> usize {
        self.cells.len()
    }
}

impl Row for BinaryRow {
    fn cell(&self, at: usize) -> Cell<'_> {
        let text = || self.row.as_ref().and_then(|row| raw(row, at)).unwrap_or_default();
        self.cells[at].read(&self.texts, text)
    }

    fn list(&self, list: &LayoutList, row: &mut dyn FnMut(&dyn Row) -> bool) -> bool {
        let Cell::Text(array) = self.cell(list.at.into()) else { return false };
        // The array was read once before, so it has a known form.
        records::each(array, row).unwrap_or_default()
    }
}

impl DecodedCell {
    /// Returns the cell. `texts` are the spelled texts of the row; `text` returns the bytes of a
    /// text.
    pub(super) fn read<'r>(&self, texts: &'r [u8], text: impl FnOnce() -> &'r [u8]) -> Cell<'r> {
        match self {
            Self::Null => Cell::Null,
            Self::Integer(value) => Cell::Integer(*value),
            Self::Number(value) => Cell::Number(*value),
            Self::Text => Cell::Text(text()),
            Self::Spelled(start, end) => Cell::Text(&texts[*start as usize..*end as usize]),
        }
    }
}

fn raw(row: &ServerRow, at: usize) -> Option<&[u8]> {
    row.try_get::<_, Option<RawCell<'_>>>(at).ok().flatten().map(|cell| cell.0)
}

/// Decodes a cell. A value that only another program can have written is taken as absent: a date
/// outside of the years 0000 to 9999, or a decimal of more than 64 bits.
pub(super) fn decoded(raw: &[u8], known: &Type, texts: &mut Vec<u8>) -> Option<DecodedCell> {
    let mut spelled = |text: Option<ShortText>| {
        let Some(text) = text else { return DecodedCell::Null };
        if texts.is_empty() {
            texts.reserve(TEXTS_BYTES);
        }
        let start = texts.len() as u32;
        texts.extend_from_slice(text.as_bytes());
        DecodedCell::Spelled(start, texts.len() as u32)
    };
    Some(match *known {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::JSON | Type::UNKNOWN => {
            DecodedCell::Text
        }
        Type::RECORD_ARRAY => records::each(raw, &mut |_| true).map(|_| DecodedCell::Text)?,
        Type::INT8 => DecodedCell::Integer(i64::from_be_bytes(raw.try_into().ok()?)),
        Type::INT4 => DecodedCell::Integer(i32::from_be_bytes(raw.try_into().ok()?).into()),
        Type::INT2 => DecodedCell::Integer(i16::from_be_bytes(raw.try_into().ok()?).into()),
        Type::BOOL => DecodedCell::Integer(i64::from(*raw.first()? != 0)),
        Type::NUMERIC => numeric::scaled(raw).map_or(DecodedCell::Null, DecodedCell::Integer),
        Type::FLOAT8 => DecodedCell::Number(f64::from_be_bytes(raw.try_into().ok()?)),
        Type::FLOAT4 => DecodedCell::Number(f32::from_be_bytes(raw.try_into().ok()?).into()),
        Type::UUID => {
            let mut text = Uuid::encode_buffer();
            let id = Uuid::from_slice(raw).ok()?;
            spelled(ShortText::of(id.hyphenated().encode_lower(&mut text).as_bytes()))
        }
        Type::DATE => spelled(moment::spell_date(i32::from_be_bytes(raw.try_into().ok()?))),
        Type::TIME => spelled(moment::spell_time(i64::from_be_bytes(raw.try_into().ok()?))),
        Type::TIMESTAMPTZ | Type::TIMESTAMP => {
            spelled(moment::spell_instant(i64::from_be_bytes(raw.try_into().ok()?)))
        }
        _ => return None,
    })
}
