//! A fault: the place where a request is wrong, and the sentence about it.

use super::{Text, text};

/// A fault in one place of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place of the fault.
    pub at: FaultAt,
    /// A stable word for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub detail: Text,
    /// The suggested repair.
    pub hint: Option<Text>,
}

/// Characters of client input that a message repeats: enough to recognize it, and a bound on the
/// message.
const EXCERPT_CHARACTERS_MAX: usize = 64;

/// Returns the beginning of client input, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARACTERS_MAX).collect()
}

/// The place of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// A position in the body, as a JSON Pointer (RFC 6901).
    Pointer(String),
    /// The name of a query parameter.
    Parameter(String),
}

impl Fault {
    /// Creates a fault in the body. A detail that begins with `must` gets its subject from the
    /// pointer.
    ///
    /// ```
    /// use nouns_runtime::error::Fault;
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

    /// Creates a fault in a query parameter.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<Text>) -> Self {
        Self { at: FaultAt::Parameter(name.into()), code, detail: detail.into(), hint: None }
    }

    /// Whether the detail and the hint exist in every language.
    pub(super) fn is_ours(&self) -> bool {
        self.detail.is_ours() && self.hint.as_ref().is_none_or(Text::is_ours)
    }

    /// Returns the detail, preceded by the place where it does not name that itself: the element of
    /// an array, or the parameter.
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
                let (said, bare) = (detail.to_string(), name.split('[').next().unwrap_or_default());
                let names = |name: &str| said.contains(&format!("`{name}`"));
                if bare.is_empty() || names(bare) || names(name) {
                    return detail.clone();
                }
                text!("`{name}`: {sentence}", name, sentence = detail.clone()).ours_if(ours)
            }
        }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: Option<impl Into<Text>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }
}

/// The subject of a sentence, from the last segment of a JSON Pointer. Names of fields never begin
/// with a digit.
fn subject(pointer: &str) -> Text {
    match pointer.rsplit('/').next().unwrap_or_default() {
        "" => text!("The body"),
        index if index.starts_with(|first: char| first.is_ascii_digit()) => {
            text!("Element {index}", index)
        }
        name => format!("`{name}`").into(),
    }
}
