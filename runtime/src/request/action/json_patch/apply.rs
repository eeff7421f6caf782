//! The application of operations to a document, with limits on the size of the result and on the
//! work.

use std::slice;

use json_patch::{
    CopyOperation, MoveOperation, PatchErrorKind, PatchOperation, jsonptr::Pointer, patch_unsafe,
};
use serde_json::Value as Json;

use crate::{
    base::{
        error::{Error, Fault, Kind, excerpt, text},
        limits::PATCH_SHIFTS_MAX,
    },
    model::{
        def::{Limit, Limits},
        exact,
    },
};

/// Applies all operations in order. Returns the error of the first operation that fails.
pub(super) fn all(
    document: &mut Json,
    operations: &[PatchOperation],
    limits: &'static Limits,
) -> Result<(), Error> {
    let bytes = limits.size(Limit::BodyBytes);
    let mut room = PatchBudget { bytes, shifts: PATCH_SHIFTS_MAX, limits };
    for (at, operation) in operations.iter().enumerate() {
        if let PatchOperation::Test(test) = operation {
            let found = document.pointer(test.path.as_str());
            if !found.is_some_and(|found| exact::same(found, &test.value)) {
                return Err(failed(at, &test.path, found.is_some()));
            }
            continue;
        }
        room.admit(document, operation).map_err(|breach| breach.at(at, limits))?;
        patch_unsafe(document, slice::from_ref(operation))
            .map_err(|error| position_error(at, operation, &error.kind))?;
    }
    Ok(())
}

/// The work that the remaining operations of a patch may still do.
struct PatchBudget {
    /// The number of bytes that operations may copy or nest deeper. Without this limit, an
    /// operation could double the size of the document by copying it into itself.
    bytes: usize,
    /// The number of array elements that operations may shift to insert or remove elements.
    shifts: usize,
    limits: &'static Limits,
}

/// The limit that an operation exceeds.
enum PatchLimit {
    Size,
    Depth,
    Shifts,
}

impl PatchBudget {
    /// Checks an operation against the limits, and subtracts its work from the budget.
    fn admit(&mut self, document: &Json, operation: &PatchOperation) -> Result<(), PatchLimit> {
        self.shifts =
            self.shifts.checked_sub(shifts(document, operation)).ok_or(PatchLimit::Shifts)?;
        let (path, value) = match operation {
            PatchOperation::Add(add) => (&add.path, &add.value),
            PatchOperation::Replace(replace) => (&replace.path, &replace.value),
            PatchOperation::Copy(copy) => {
                let Some(value) = document.pointer(copy.from.as_str()) else { return Ok(()) };
                self.take(value)?;
                (&copy.path, value)
            }
            PatchOperation::Move(one) if one.path.count() > one.from.count() => {
                let Some(value) = document.pointer(one.from.as_str()) else { return Ok(()) };
                self.take(value)?;
                (&one.path, value)
            }
            _ => return Ok(()),
        };
        // The document has one more level, because the member is the object around its fields.
        if path.count() + depth(value) > self.limits.size(Limit::JsonDepth) + 1 {
            Err(PatchLimit::Depth)
        } else {
            Ok(())
        }
    }

    /// Subtracts the size of a value, and stops as soon as the budget is exceeded.
    fn take(&mut self, value: &Json) -> Result<(), PatchLimit> {
        // Each value has a comma or a colon, which counts as one byte.
        self.bytes = self.bytes.checked_sub(exact::size(value) + 1).ok_or(PatchLimit::Size)?;
        match value {
            Json::Array(items) => items.iter().try_for_each(|item| self.take(item)),
            Json::Object(members) => members.iter().try_for_each(|(name, value)| {
                self.bytes = self.bytes.checked_sub(name.len() + 4).ok_or(PatchLimit::Size)?;
                self.take(value)
            }),
            _ => Ok(()),
        }
    }
}

impl PatchLimit {
    fn at(&self, at: usize, limits: &Limits) -> Error {
        match self {
            Self::Size => too_large(limits),
            Self::Shifts => {
                let most = PATCH_SHIFTS_MAX;
                let detail = text!(
                    "The operations up to {at} shift more than {most} elements of arrays; replace the array instead.",
                    at,
                    most
                );
                fault(Fault::body(format!("/{at}"), "max_shifts", detail))
            }
            Self::Depth => {
                let most = limits.get(Limit::JsonDepth);
                let detail =
                    text!("Operation {at} nests the member deeper than {most} levels.", at, most);
                fault(Fault::body(format!("/{at}"), "max_depth", detail))
            }
        }
    }
}

/// The number of array elements that an operation shifts: the elements after the one that it
/// inserts or removes.
fn shifts(document: &Json, operation: &PatchOperation) -> usize {
    let behind = |path: &Pointer| {
        let (array, place) = path.as_str().rsplit_once('/')?;
        let place: usize = place.parse().ok()?;
        Some(document.pointer(array)?.as_array()?.len().saturating_sub(place))
    };
    let behind = |path: &Pointer| behind(path).unwrap_or(0);
    match operation {
        PatchOperation::Add(add) => behind(&add.path),
        PatchOperation::Remove(remove) => behind(&remove.path),
        PatchOperation::Copy(copy) => behind(&copy.path),
        PatchOperation::Move(one) => behind(&one.from) + behind(&one.path),
        PatchOperation::Replace(_) | PatchOperation::Test(_) => 0,
    }
}

/// The nesting depth of arrays and objects in a value; 0 for other values.
fn depth(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The error for a patch whose result is larger than a request body may be.
pub(crate) fn too_large(limits: &Limits) -> Error {
    let detail = text!(
        "The patched member would be larger than a body may be: {most} bytes.",
        most = limits.get(Limit::BodyBytes),
    );
    Error::new(Kind::INVALID_CONTENT, detail)
}

fn fault(fault: Fault) -> Error {
    Error::from_faults(Kind::INVALID_CONTENT, vec![fault])
}

fn failed(at: usize, path: &Pointer, found: bool) -> Error {
    let path = excerpt(path.as_str());
    let detail = match found {
        true if path.is_empty() => {
            text!("Operation {at}: the member differs from the tested value.", at)
        }
        true => {
            text!("Operation {at}: `{path}` differs from the tested value.", at, path)
        }
        false => text!("Operation {at}: there is nothing at `{path}` to test.", at, path),
    };
    Error::about(
        Kind::TEST_FAILED,
        detail.clone(),
        vec![Fault::body(format!("/{at}"), "test", detail)],
    )
}

/// The error for an operation whose path does not exist.
fn position_error(at: usize, operation: &PatchOperation, kind: &PatchErrorKind) -> Error {
    let path = excerpt(operation.path().as_str());
    let (member, detail) = match (kind, operation) {
        (_, PatchOperation::Remove(_)) if path.is_empty() => {
            ("path", text!("A patch cannot remove the whole member; DELETE does."))
        }
        (_, PatchOperation::Move(one)) if one.from.is_root() => {
            ("from", text!("The whole member cannot be moved; name a part of it."))
        }
        (PatchErrorKind::CannotMoveInsideItself, _) => {
            ("path", text!("A value cannot be moved into itself, to `{path}`.", path))
        }
        (PatchErrorKind::InvalidFromPointer, PatchOperation::Move(MoveOperation { from, .. }))
        | (PatchErrorKind::InvalidFromPointer, PatchOperation::Copy(CopyOperation { from, .. })) => {
            ("from", text!("There is nothing at `{path}`.", path = excerpt(from.as_str())))
        }
        (_, PatchOperation::Remove(_) | PatchOperation::Replace(_)) => {
            ("path", text!("There is nothing at `{path}`.", path))
        }
        _ => {
            let detail = text!(
                "Nothing can be added at `{path}`: its parent is neither an object nor an array of that length.",
                path
            );
            ("path", detail)
        }
    };
    fault(Fault::body(format!("/{at}/{member}"), "path", detail))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Applies copy operations, each from one path to another.
    fn copied(document: &Json, copies: &[(&str, String)]) -> Result<(), Error> {
        let copy = |(from, path): &(&str, String)| {
            PatchOperation::Copy(CopyOperation {
                from: from.parse().unwrap(),
                path: path.as_str().parse().unwrap(),
            })
        };
        let copies: Vec<_> = copies.iter().map(copy).collect();
        all(&mut document.clone(), &copies, &Limits::DEFAULT)
    }

    #[test]
    fn what_doubles_is_stopped_before_it_is_large() {
        let doubling = |times| (0..times).map(|at| ("/a", format!("/a/{at}"))).collect::<Vec<_>>();
        let document = json!({ "a": { "text": "x".repeat(1024) } });
        assert!(copied(&document, &doubling(9)).is_ok());
        assert!(copied(&document, &doubling(11)).is_err());
    }

    #[test]
    fn what_nests_in_itself_is_stopped_before_it_is_deep() {
        let nesting = |times| (0..times).map(|at| ("/a", "/a".repeat(at + 2))).collect::<Vec<_>>();
        let document = json!({ "a": {} });
        assert!(copied(&document, &nesting(5)).is_ok());
        let error = copied(&document, &nesting(15)).unwrap_err();
        assert_eq!(error.faults()[0].code, "max_depth");
    }

    /// With a member of 1 MB, a patch of 250 moves was measured to shift 125 million elements.
    #[test]
    fn what_shifts_long_arrays_again_and_again_is_stopped() {
        let array = |length: usize| json!({ "a": vec![1; length] });
        let moving = |from: &str, path: &str, times| {
            let one = MoveOperation { from: from.parse().unwrap(), path: path.parse().unwrap() };
            vec![PatchOperation::Move(one); times]
        };
        let to_the_end = moving("/a/0", "/a/-", crate::base::limits::PATCH_OPERATIONS_MAX);
        let mut short = array(16_000);
        assert!(all(&mut short, &to_the_end, &Limits::DEFAULT).is_ok());
        let error = all(&mut array(500_000), &to_the_end, &Limits::DEFAULT).unwrap_err();
        let [fault] = error.faults() else { panic!("the error must have one fault: {error}") };
        assert_eq!((fault.code, error.status().as_u16()), ("max_shifts", 422));
        let mut long = array(500_000);
        assert!(
            all(&mut long, &moving("/a/499999", "/a/499999", 250), &Limits::DEFAULT).is_ok(),
            "moves at the end of an array shift no elements"
        );
    }
}
