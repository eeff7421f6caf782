//! Builds filter conditions with times that are more precise than stored times. The conditions are
//! rewritten so that they match the right members.

use super::Predicate;
use crate::model::{FieldIx, Op, def::FieldKind, value::Value};

/// Creates a condition on a field. A condition with a time that the field cannot store is
/// rewritten.
///
/// A time with nanoseconds cannot be stored, so no member is equal to such a time, and `ne` matches
/// every member, also those without a value. `lt` and `le` become `le` of the last storable time
/// before it; `gt` and `ge` become `gt` of that time.
pub(crate) fn test(field: FieldIx, kind: FieldKind, op: Op, mut values: Vec<Value>) -> Predicate {
    let below: Vec<_> = values.iter().map(|value| below(kind, value)).collect();
    if below.iter().all(Option::is_none) {
        return Predicate::test(field, op, values);
    }
    match (op, below.as_slice()) {
        (Op::Between, [_, _]) => {
            let to = values.split_off(1);
            Predicate::all([test(field, kind, Op::Gte, values), test(field, kind, Op::Lte, to)])
        }
        (Op::In(_) | Op::NotIn(_), _) => {
            let kept = values.into_iter().zip(&below).filter(|(_, below)| below.is_none());
            Predicate::test(field, op, kept.map(|(value, _)| value).collect())
        }
        (Op::Eq, _) => Predicate::NONE,
        (Op::Ne, _) => Predicate::EVERY,
        (Op::Lt | Op::Lte, [Some(below)]) => Predicate::test(field, Op::Lte, vec![below.clone()]),
        (Op::Gt | Op::Gte, [Some(below)]) => Predicate::test(field, Op::Gt, vec![below.clone()]),
        _ => Predicate::test(field, op, values),
    }
}

/// The last storable time before a time that is not storable; `None` if the value is storable.
fn below(kind: FieldKind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (FieldKind::Time | FieldKind::DateTime, Value::Text(text)) => {
            Value::parse(kind, text).ok().filter(|kept| kept != value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: FieldIx = FieldIx(2);

    fn of(op: Op, times: &[&str]) -> Predicate {
        test(
            AT,
            FieldKind::Time,
            op,
            times.iter().map(|time| Value::Text((*time).into())).collect(),
        )
    }

    #[test]
    fn a_time_between_two_is_equal_to_none() {
        let (kept, between) = ("08:30:00.000001", "08:30:00.0000015");
        assert_eq!(of(Op::Eq, &[between]), Predicate::NONE);
        assert_eq!(of(Op::Ne, &[between]), Predicate::EVERY);
        assert_eq!(of(Op::In(2), &[between, kept]), of(Op::Eq, &[kept]));
        assert_eq!(of(Op::NotIn(2), &[between, kept]), of(Op::Ne, &[kept]));
    }

    #[test]
    fn a_time_between_two_has_one_before_and_one_after() {
        let (kept, between) = ("08:30:00.000001", "08:30:00.0000015");
        assert_eq!(of(Op::Lt, &[between]), of(Op::Lte, &[kept]));
        assert_eq!(of(Op::Lte, &[between]), of(Op::Lte, &[kept]));
        assert_eq!(of(Op::Gt, &[between]), of(Op::Gt, &[kept]));
        assert_eq!(of(Op::Gte, &[between]), of(Op::Gt, &[kept]));
        let bounds = [of(Op::Gt, &[kept]), of(Op::Lte, &["09:00:00"])];
        assert_eq!(of(Op::Between, &[between, "09:00:00"]), Predicate::all(bounds));
    }
}
