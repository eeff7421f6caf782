//! The binding of values: each in the binary form of the type that the server expects.

use std::{error::Error, fmt};

use bytes::{BufMut as _, BytesMut};
use tokio_postgres::types::{IsNull, Kind, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::{moment, numeric};
use crate::{base::secret::Secret, model::value::Value};

/// The length of an absent value in an array.
const NULL_LENGTH: i32 = -1;

/// A value that a statement binds.
pub(super) struct BinaryParameter<'v>(pub(super) &'v Value);

/// A value of a statement that writes several members.
pub(super) enum BatchParameter<'v> {
    /// A value that all members share.
    Shared(&'v Value),
    /// An array with a value for each member.
    Each(Vec<&'v Value>),
}

type BindError = Box<dyn Error + Sync + Send>;

impl ToSql for BinaryParameter<'_> {
    fn to_sql(&self, wanted: &Type, to: &mut BytesMut) -> Result<IsNull, BindError> {
        let bound = match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Integer(value) => integer(*value, wanted, to),
            Value::Number(value) => number(*value, wanted, to),
            Value::Text(value) => text(value, wanted, to),
            Value::Password(_) => None,
        };
        match bound {
            Some(()) => Ok(IsNull::No),
            None => Err(format!("a value cannot be bound as `{wanted}`").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl ToSql for BatchParameter<'_> {
    fn to_sql(&self, wanted: &Type, to: &mut BytesMut) -> Result<IsNull, BindError> {
        let each = match (self, wanted.kind()) {
            (Self::Shared(value), _) => return BinaryParameter(value).to_sql(wanted, to),
            (Self::Each(each), Kind::Array(member)) => (each, member),
            (Self::Each(_), _) => {
                return Err(format!("an array cannot be bound as `{wanted}`").into());
            }
        };
        array(each, to)?;
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Writes an array: its dimensions, whether it may have nulls, the type, the length and the lower
/// bound, and then each value after its length.
fn array((values, wanted): (&Vec<&Value>, &Type), to: &mut BytesMut) -> Result<(), BindError> {
    to.put_i32(1);
    to.put_i32(1);
    to.put_u32(wanted.oid());
    to.put_i32(values.len().try_into()?);
    to.put_i32(1);
    for value in values {
        let start = to.len();
        to.put_i32(NULL_LENGTH);
        if let IsNull::No = BinaryParameter(value).to_sql(wanted, to)? {
            let length = i32::try_from(to.len() - start - 4)?;
            to[start..start + 4].copy_from_slice(&length.to_be_bytes());
        }
    }
    Ok(())
}

/// Values of clients are not printed, as some are secret.
impl fmt::Debug for BinaryParameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

impl fmt::Debug for BatchParameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

fn integer(value: i64, wanted: &Type, to: &mut BytesMut) -> Option<()> {
    match *wanted {
        Type::INT8 => to.put_i64(value),
        Type::INT4 => to.put_i32(value.try_into().ok()?),
        Type::INT2 => to.put_i16(value.try_into().ok()?),
        Type::BOOL => to.put_u8((value != 0).into()),
        Type::NUMERIC => numeric::write_integer(value, to),
        Type::FLOAT8 => to.put_f64(value as f64),
        Type::TEXT | Type::VARCHAR | Type::UNKNOWN => {
            to.put_slice(itoa::Buffer::new().format(value).as_bytes());
        }
        _ => return None,
    }
    Some(())
}

fn number(value: f64, wanted: &Type, to: &mut BytesMut) -> Option<()> {
    match *wanted {
        Type::FLOAT8 => to.put_f64(value),
        Type::TEXT | Type::VARCHAR | Type::UNKNOWN => {
            to.put_slice(zmij::Buffer::new().format(value).as_bytes());
        }
        _ => return None,
    }
    Some(())
}

fn text(value: &str, wanted: &Type, to: &mut BytesMut) -> Option<()> {
    match *wanted {
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::JSON => {
            to.put_slice(value.as_bytes());
        }
        Type::UUID => to.put_slice(Uuid::try_parse(value).ok()?.as_bytes()),
        Type::DATE => to.put_i32(moment::days(value)?),
        Type::TIME => to.put_i64(moment::of_day(value)?),
        Type::TIMESTAMPTZ | Type::TIMESTAMP => to.put_i64(moment::instant(value)?),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(value: &Value, wanted: &Type) -> Option<Vec<u8>> {
        let mut to = BytesMut::new();
        match BinaryParameter(value).to_sql(wanted, &mut to).ok()? {
            IsNull::Yes => Some(b"NULL".to_vec()),
            IsNull::No => Some(to.to_vec()),
        }
    }

    #[test]
    fn a_value_takes_the_form_of_the_type() {
        let (yes, text) = (Value::Integer(1), |text: &str| Value::Text(text.into()));
        assert_eq!(bound(&yes, &Type::BOOL), Some(vec![1]));
        assert_eq!(bound(&yes, &Type::INT8), Some(vec![0, 0, 0, 0, 0, 0, 0, 1]));
        assert_eq!(bound(&yes, &Type::INT4), Some(vec![0, 0, 0, 1]));
        assert_eq!(bound(&yes, &Type::TEXT), Some(b"1".to_vec()));
        assert_eq!(bound(&text("2000-01-03"), &Type::DATE), Some(vec![0, 0, 0, 2]));
        assert_eq!(bound(&Value::Null, &Type::DATE), Some(b"NULL".to_vec()));
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(bound(&text(id), &Type::UUID).unwrap().len(), 16);
        for (value, wanted) in [
            (Value::Integer(1 << 40), Type::INT4),
            (Value::Number(1.5), Type::INT8),
            (text("soon"), Type::DATE),
            (text("x"), Type::BOOL),
            (Value::Password(Secret::new("hush")), Type::TEXT),
        ] {
            assert_eq!(bound(&value, &wanted), None, "{value:?}");
        }
    }

    #[test]
    fn the_values_of_a_batch_are_an_array() {
        let (one, none) = (Value::Integer(258), Value::Null);
        let each = BatchParameter::Each(vec![&one, &none]);
        let mut to = BytesMut::new();
        assert!(matches!(each.to_sql(&Type::INT2_ARRAY, &mut to), Ok(IsNull::No)));
        let words = [1, 1, Type::INT2.oid() as i32, 2, 1, 2].map(i32::to_be_bytes).concat();
        assert_eq!(*to, [&*words, &[1, 2], &[255; 4]].concat());
        assert!(each.to_sql(&Type::INT2, &mut to).is_err(), "it is no array");
        assert!(BatchParameter::Shared(&one).to_sql(&Type::INT8, &mut to).is_ok());
    }

    #[test]
    fn no_value_is_printed() {
        assert_eq!(format!("{:?}", BinaryParameter(&Value::Text("hush".into()))), Secret::HIDDEN);
    }
}
