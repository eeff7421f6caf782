//! The rows of a list that comes with a row: an array of records in PostgreSQL's binary form.
//!
//! The form of an array is that of `array_send`: the number of dimensions, flags, the type of the
//! elements, for each dimension its length and its first index, then each element with its length.
//! That of a record is the number of its fields, then for each its type, its length and its value.

use tokio_postgres::types::Type;

use super::cells::{DecodedCell, decoded};
use crate::{
    model::LayoutList,
    store::sink::{Cell, Row},
};

/// A value in binary form, as far as it was not read yet.
struct BinaryReader<'r>(&'r [u8]);

impl<'r> BinaryReader<'r> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    /// Reads a value with its length before it; `Some(None)` for NULL.
    fn value(&mut self) -> Option<Option<&'r [u8]>> {
        let length = self.number()?.cast_signed();
        let Ok(length) = usize::try_from(length) else { return Some(None) };
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Some(value))
    }

    /// Reads the beginning of an array, and returns the number of its elements.
    fn elements(&mut self) -> Option<u32> {
        let [dimensions, _flags, _type] = [self.number()?, self.number()?, self.number()?];
        match dimensions {
            0 => Some(0),
            1 => {
                let length = self.number()?;
                self.number().map(|_| length)
            }
            _ => None,
        }
    }
}

/// Passes the records of an array until the closure returns false. Returns whether it has come to a
/// NULL, which stands for records that the statement has left out. `None` if the array has another
/// form, or a value whose type no declaration knows.
pub(super) fn each(array: &[u8], row: &mut dyn FnMut(&dyn Row) -> bool) -> Option<bool> {
    let (mut reader, mut record) = (BinaryReader(array), RecordRow::default());
    for _ in 0..reader.elements()? {
        let Some(value) = reader.value()? else { return Some(true) };
        record.read(value)?;
        if !row(&record) {
            break;
        }
    }
    Some(false)
}

/// A record of a list.
#[derive(Default)]
struct RecordRow<'r> {
    values: Vec<&'r [u8]>,
    cells: Vec<DecodedCell>,
    /// The spelled texts, one after the other.
    texts: Vec<u8>,
}

impl<'r> RecordRow<'r> {
    /// Reads a record in the place of the one before.
    fn read(&mut self, record: &'r [u8]) -> Option<()> {
        let Self { values, cells, texts } = self;
        values.clear();
        cells.clear();
        texts.clear();
        let mut fields = BinaryReader(record);
        for _ in 0..fields.number()? {
            let (of, value) = (Type::from_oid(fields.number()?)?, fields.value()?);
            cells.push(match value {
                Some(raw) => decoded(raw, &of, texts)?,
                None => DecodedCell::Null,
            });
            values.push(value.unwrap_or_default());
        }
        Some(())
    }
}

impl Row for RecordRow<'_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        let Some(cell) = self.cells.get(at) else { return Cell::Null };
        cell.read(&self.texts, || self.values[at])
    }

    fn list(&self, list: &LayoutList, row: &mut dyn FnMut(&dyn Row) -> bool) -> bool {
        let array = self.values.get(usize::from(list.at));
        // The array was read once before, so it has a known form.
        array.and_then(|array| each(array, row)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array of records with a number, a text and an array of records.
    fn array(records: &[(i64, Option<&str>, &[u8])]) -> Vec<u8> {
        let number = |to: &mut Vec<u8>, number: usize| {
            to.extend_from_slice(&u32::try_from(number).unwrap().to_be_bytes());
        };
        let mut to = vec![];
        number(&mut to, usize::from(!records.is_empty()));
        number(&mut to, 0);
        number(&mut to, Type::RECORD.oid() as usize);
        if !records.is_empty() {
            number(&mut to, records.len());
            number(&mut to, 1);
        }
        for (id, text, list) in records {
            let mut record = vec![];
            number(&mut record, 3);
            for (of, value) in [
                (Type::INT8, Some(id.to_be_bytes().to_vec())),
                (Type::TEXT, text.map(|text| text.as_bytes().to_vec())),
                (Type::RECORD_ARRAY, Some(list.to_vec())),
            ] {
                number(&mut record, of.oid() as usize);
                match value {
                    Some(value) => {
                        number(&mut record, value.len());
                        record.extend_from_slice(&value);
                    }
                    None => record.extend_from_slice(&(-1i32).to_be_bytes()),
                }
            }
            number(&mut to, record.len());
            to.extend_from_slice(&record);
        }
        to
    }

    fn is_known(array: &[u8]) -> bool {
        each(array, &mut |_| true).is_some()
    }

    fn spelled(array: &[u8]) -> Vec<String> {
        let mut all = vec![];
        let read = each(array, &mut |row| {
            let inner = match row.cell(2) {
                Cell::Text(array) => spelled(array).join(" "),
                cell => panic!("a list is read as its bytes, not as {cell:?}"),
            };
            all.push(format!("{:?} {:?} [{inner}]", row.cell(0), row.cell(1)));
            true
        });
        assert_eq!(read, Some(false));
        all
    }

    #[test]
    fn records_are_read_at_all_levels() {
        let empty = array(&[]);
        let inner = array(&[(1, Some("a"), &empty), (2, None, &empty)]);
        let whole = array(&[(3, Some("b"), &inner), (4, Some(""), &empty)]);
        assert!(is_known(&whole) && is_known(&empty));
        assert_eq!(spelled(&empty), Vec::<String>::new());
        assert_eq!(
            spelled(&whole),
            [
                "Integer(3) Text([98]) [Integer(1) Text([97]) [] Integer(2) Null []]",
                "Integer(4) Text([]) []"
            ]
        );
        let mut count = 0;
        let read = each(&whole, &mut |_| {
            count += 1;
            false
        });
        assert_eq!((read, count), (Some(false), 1));
    }

    /// A NULL element is followed by others, of which none is read.
    #[test]
    fn records_that_were_left_out_are_noticed() {
        let mut array = array(&[(1, None, &array(&[]))]);
        let count = array.len();
        array[12..16].copy_from_slice(&3u32.to_be_bytes());
        array.extend_from_slice(&[0xff; 8]);
        let mut rows = 0;
        let read = each(&array, &mut |_| {
            rows += 1;
            true
        });
        assert_eq!((read, rows), (Some(true), 1));
        assert!(!is_known(&array[..count]));
    }

    #[test]
    fn a_broken_array_is_not_known() {
        let whole = array(&[(3, Some("b"), &array(&[(1, None, &array(&[]))]))]);
        for end in 0..whole.len() {
            assert!(!is_known(&whole[..end]), "{end}");
        }
        let mut foreign = whole;
        let at = foreign.windows(4).position(|four| four == Type::INT8.oid().to_be_bytes());
        let at = at.unwrap();
        foreign[at..at + 4].copy_from_slice(&Type::POINT.oid().to_be_bytes());
        assert!(!is_known(&foreign));
    }
}
