//! The parser of the operations of a JSON Patch. It reports all errors together.

use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchOperation, RemoveOperation, ReplaceOperation,
    TestOperation, jsonptr::PointerBuf,
};
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, value::RawValue};

use crate::{
    base::{
        error::{Error, Fault, Kind, Text, excerpt, text},
        limits, nearest,
    },
    model::exact,
    request::action::{
        member::malformed,
        sound_json::{self, JsonDefect},
    },
};

/// The names of the operations in RFC 6902 §4.
const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];

/// Parses the operations of a patch. Returns either all operations or all errors.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<PatchOperation>, Error> {
    let body: &RawValue = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
    let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(body.get()) else {
        let fault = Fault::body("", "type", text!("must be an array of operations."));
        return Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]));
    };
    let mut faults = vec![];
    if list.len() > limits::PATCH_OPERATIONS_MAX {
        let detail =
            text!("A patch has at most {most} operations.", most = limits::PATCH_OPERATIONS_MAX);
        faults.push(Fault::body("", "max_items", detail));
    }
    let list = list.into_iter().take(limits::PATCH_OPERATIONS_MAX).enumerate();
    let read = list
        .filter_map(|(at, raw)| OperationReader { at, faults: &mut faults }.operation(raw))
        .collect();
    if faults.is_empty() {
        return Ok(read);
    }
    faults.truncate(limits::FAULTS_MAX);
    Err(Error::from_faults(Kind::INVALID_CONTENT, faults))
}

/// An operation whose members are not checked yet. Unknown members are ignored, as RFC 6902 §4
/// requires.
#[derive(Deserialize)]
struct RawOperation<'body> {
    #[serde(default, deserialize_with = "present")]
    op: Option<Json>,
    #[serde(default, deserialize_with = "present")]
    path: Option<Json>,
    #[serde(default, deserialize_with = "present")]
    from: Option<Json>,
    #[serde(default, borrow, deserialize_with = "present")]
    value: Option<&'body RawValue>,
}

/// Deserializes a member of an operation. JSON `null` becomes `Some`, and only an absent member is
/// `None`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The parser of the operation at one position of a patch.
struct OperationReader<'faults> {
    at: usize,
    faults: &'faults mut Vec<Fault>,
}

impl OperationReader<'_> {
    fn operation(mut self, raw: &RawValue) -> Option<PatchOperation> {
        if !raw.get().starts_with('{') {
            return self.fault("", "type", text!("must be an object."));
        }
        let raw: RawOperation<'_> = match serde_json::from_str(raw.get()) {
            Ok(raw) => raw,
            Err(error) => return self.unreadable(&error.to_string()),
        };
        let value = match raw.value.map(|value| exact::read(value.get())).transpose() {
            Ok(value) => value,
            Err(error) => return self.unreadable(&error.to_string()),
        };
        if let Some(Err(JsonDefect::Duplicate(found))) =
            raw.value.map(|value| sound_json::check(value.get()))
        {
            let detail = text!("`{name}` occurs twice.", name = excerpt(&found.name));
            return self.fault(&format!("/value{}", found.pointer), "duplicate", detail);
        }
        let op = match raw.op {
            Some(Json::String(op)) if OPERATIONS.contains(&&*op) => op,
            Some(Json::String(op)) => return self.unknown(&op),
            Some(_) => return self.fault("/op", "type", text!("must be a string.")),
            None => return self.lacks("op"),
        };
        let path = self.pointer("path", raw.path);
        let from = ["move", "copy"].contains(&&*op).then(|| self.pointer("from", raw.from));
        let valued = ["add", "replace", "test"].contains(&&*op);
        if valued && value.is_none() {
            return self.lacks("value");
        }
        // An operation `test` may have a number that no double can represent, but a value to store
        // may not.
        if op != "test" && value.as_ref().is_some_and(|value| !exact::fits_doubles(value)) {
            return self.unreadable("number out of range");
        }
        let (path, value) = (path?, value.unwrap_or_default());
        Some(match (&*op, from) {
            ("add", _) => PatchOperation::Add(AddOperation { path, value }),
            ("replace", _) => PatchOperation::Replace(ReplaceOperation { path, value }),
            ("test", _) => PatchOperation::Test(TestOperation { path, value }),
            ("move", Some(from)) => PatchOperation::Move(MoveOperation { from: from?, path }),
            (_, Some(from)) => PatchOperation::Copy(CopyOperation { from: from?, path }),
            (_, None) => PatchOperation::Remove(RemoveOperation { path }),
        })
    }

    fn pointer(&mut self, name: &str, given: Option<Json>) -> Option<PointerBuf> {
        let at = format!("/{name}");
        match given {
            None => self.lacks(name),
            Some(Json::String(text)) => match PointerBuf::parse(text) {
                Ok(pointer) => Some(pointer),
                Err(_) => {
                    let grammar = text!(
                        "must be a JSON Pointer: segments that each begin with `/`, with `~0` for `~` and `~1` for `/` in them."
                    );
                    self.fault(&at, "format", grammar)
                }
            },
            Some(_) => self.fault(&at, "type", text!("must be a string.")),
        }
    }

    fn unreadable<T>(&mut self, error: &str) -> Option<T> {
        let error = error.split(" at line ").next().unwrap_or_default();
        let detail = text!("Operation {at} cannot be read: {error}.", at = self.at, error);
        self.fault("", "syntax", detail)
    }

    fn unknown<T>(&mut self, op: &str) -> Option<T> {
        let hint = nearest::hint(op, OPERATIONS.into_iter());
        let (op, known) = (excerpt(op), OPERATIONS.join(", "));
        let detail = text!("There is no operation `{op}`; the operations are: {known}.", op, known);
        self.faults.push(Fault::body(format!("/{}/op", self.at), "unknown", detail).hint(hint));
        None
    }

    fn lacks<T>(&mut self, name: &str) -> Option<T> {
        self.fault(&format!("/{name}"), "required", text!("`{name}` is required.", name))
    }

    fn fault<T>(&mut self, below: &str, code: &'static str, detail: Text) -> Option<T> {
        let pointer = format!("/{}{below}", self.at);
        self.faults.push(Fault::body(pointer, code, detail));
        None
    }
}
