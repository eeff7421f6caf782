//! [`Fault`]: one mistake in a request, with its place and a sentence about it.

use super::{Text, text};

/// One mistake in a request. A problem response (RFC 9457) lists all faults in its JSON member
/// `errors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place of the mistake in the request.
    pub at: FaultAt,
    /// A stable word that names the kind of mistake, for programs.
    pub code: &'static str,
    /// A sentence about the mistake, for people.
    pub detail: Text,
    /// A suggested correction; `None` if there is no suggestion.
    pub hint: Option<Text>,
}

/// The codes of faults in query parameters, as far as the server itself reports them.
pub const PARAMETER_CODES: [&str; 9] = [
    "unknown",
    "repeated",
    "type",
    "enum",
    "operator",
    "unfilterable",
    "range",
    "conflict",
    "unsupported",
];

/// The codes of faults in bodies, as far as the server itself reports them.
pub const BODY_CODES: [&str; 24] = [
    "unknown",
    "duplicate",
    "required",
    "wrong_password",
    "read_only",
    "type",
    "enum",
    "minimum",
    "maximum",
    "min_length",
    "max_length",
    "pattern",
    "format",
    "value",
    "unique",
    "reference",
    "min_items",
    "max_items",
    "max_depth",
    "syntax",
    "path",
    "test",
    "max_shifts",
    "unsupported",
];

/// The maximum number of characters that a message repeats from client input. The number is large
/// enough to recognize the input, and it bounds the size of the message.
const EXCERPT_CHARACTERS_MAX: usize = 64;

/// Returns the first [`EXCERPT_CHARACTERS_MAX`] characters of client input, for use in a message.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARACTERS_MAX).collect()
}

/// The place of a fault in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// A position in the body, as a JSON Pointer (RFC 6901).
    Pointer(String),
    /// The name of a query parameter.
    Parameter(String),
}

impl Fault {
    /// Creates a fault in the body. If the detail begins with `must`, the field at the pointer
    /// becomes the subject of the sentence.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Fault;
    /// let fault = Fault::body("/weight_kg", "minimum", "must be at least 0.");
    /// assert_eq!(fault.detail, "`weight_kg` must be at least 0.");
    /// ```
    pub fn body(pointer: impl Into<String>, code: &'static str, detail: impl Into<Text>) -> Self {
        let (pointer, mut detail) = (pointer.into(), detail.into());
        if detail.starts_with("must ") {
            let ours = detail.is_ours();
            detail = text!("{subject} {sentence}", subject = subject(&pointer), sentence = detail)
                .ours_if(ours);
        }
        Self { at: FaultAt::Pointer(pointer), code, detail, hint: None }
    }

    /// Creates a fault in the query parameter `name`.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<Text>) -> Self {
        Self { at: FaultAt::Parameter(name.into()), code, detail: detail.into(), hint: None }
    }

    /// Whether the texts of the fault exist in every language: its detail and its hint.
    pub(super) fn is_ours(&self) -> bool {
        self.detail.is_ours() && self.hint.as_ref().is_none_or(Text::is_ours)
    }

    /// Returns the detail, preceded by the place of the fault: an array element or a query
    /// parameter. The place is left out if the detail already names it.
    pub(super) fn placed(&self) -> Text {
        let (detail, ours) = (&self.detail, self.detail.is_ours());
        match &self.at {
            FaultAt::Pointer(pointer) => match pointer.rsplit_once('/') {
                Some((element, _)) if !element.is_empty() => {
                    text!("At `{element}`: {sentence}", element, sentence = detail.clone())
                        .ours_if(ours)
                }
                _ => detail.clone(),
            },
            FaultAt::Parameter(name) => {
                let (english, bare) =
                    (detail.to_string(), name.split('[').next().unwrap_or_default());
                let names = |name: &str| english.contains(&format!("`{name}`"));
                if bare.is_empty() || names(bare) || names(name) {
                    return detail.clone();
                }
                text!("`{name}`: {sentence}", name, sentence = detail.clone()).ours_if(ours)
            }
        }
    }

    /// Sets the suggested correction.
    #[must_use]
    pub fn hint(mut self, hint: Option<impl Into<Text>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }
}

/// Returns the subject of a sentence from the last segment of a JSON Pointer. A segment that begins
/// with a digit is an array index, as no field name begins with a digit.
fn subject(pointer: &str) -> Text {
    match pointer.rsplit('/').next().unwrap_or_default() {
        "" => text!("The body"),
        index if index.starts_with(|first: char| first.is_ascii_digit()) => {
            text!("Element {index}", index)
        }
        name => format!("`{name}`").into(),
    }
}
