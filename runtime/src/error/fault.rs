//! A fault: where a request is wrong, and how it says so.

/// A fault in one place of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it is.
    pub at: FaultAt,
    /// A stable word for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub detail: String,
    /// What would repair it.
    pub hint: Option<String>,
}

/// How much of what a client sent is repeated in a message: enough to know it again, and no more to carry.
const EXCERPT_CHARACTERS_MAX: usize = 64;

/// The beginning of what a client sent, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARACTERS_MAX).collect()
}

/// Where a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// In the body, at a JSON Pointer (RFC 6901).
    Pointer(String),
    /// In a query parameter.
    Parameter(String),
}

impl Fault {
    /// A fault in the body. A detail that begins with `must` gets its subject from the pointer.
    ///
    /// ```
    /// use nouns_runtime::error::Fault;
    /// let fault = Fault::body("/weight_kg", "minimum", "must be at least 0.");
    /// assert_eq!(fault.detail, "`weight_kg` must be at least 0.");
    /// ```
    pub fn body(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        let (pointer, mut detail) = (pointer.into(), detail.into());
        if detail.starts_with("must ") {
            detail = format!("{} {detail}", subject(&pointer));
        }
        Self { at: FaultAt::Pointer(pointer), code, detail, hint: None }
    }

    /// A fault in a query parameter.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { at: FaultAt::Parameter(name.into()), code, detail: detail.into(), hint: None }
    }

    /// The detail with the place that it does not name itself: the element of an array, or the parameter.
    pub(super) fn placed(&self) -> String {
        let detail = &self.detail;
        match &self.at {
            FaultAt::Pointer(pointer) => match pointer.rsplit_once('/') {
                Some((element, _)) if !element.is_empty() => format!("At `{element}`: {detail}"),
                _ => detail.clone(),
            },
            FaultAt::Parameter(name) => {
                let bare = name.split('[').next().unwrap_or_default();
                if bare.is_empty()
                    || detail.contains(&format!("`{bare}`"))
                    || detail.contains(&format!("`{name}`"))
                {
                    return detail.clone();
                }
                format!("`{name}`: {detail}")
            }
        }
    }

    /// The same with a repair.
    #[must_use]
    pub fn hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }
}

/// What the last segment of a JSON Pointer names; names of fields never begin with a digit.
fn subject(pointer: &str) -> String {
    match pointer.rsplit('/').next().unwrap_or_default() {
        "" => "The body".into(),
        index if index.starts_with(|first: char| first.is_ascii_digit()) => format!("Element {index}"),
        name => format!("`{name}`"),
    }
}
