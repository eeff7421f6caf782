//! Definitions that live as long as the program. Equal ones are stored once, however often an
//! interface is declared.

use std::sync::{Mutex, PoisonError};

use http::HeaderValue;

/// A set of interned values. There are few of them, so the search is linear.
pub(crate) struct Interner<T: ?Sized + 'static>(Mutex<Vec<&'static T>>);

impl<T: ?Sized + PartialEq> Interner<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns the equal value that is stored already, or stores this one.
    pub(crate) fn intern(&self, value: Box<T>) -> &'static T {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(equal) = known.iter().find(|known| ***known == *value) {
            return equal;
        }
        let kept: &'static T = Box::leak(value);
        known.push(kept);
        kept
    }
}

/// Interns a text.
pub(crate) fn text(text: &str) -> &'static str {
    static KNOWN: Interner<str> = Interner::new();
    KNOWN.intern(text.into())
}

/// Interns a text if there is one.
pub(crate) fn optional(value: Option<&str>) -> Option<&'static str> {
    value.map(text)
}

/// Interns the value of a header field, so that its clones share no counter between cores.
/// Characters that a field cannot contain are removed.
pub(crate) fn field(value: &str) -> HeaderValue {
    let visible =
        value.chars().filter(|character| matches!(character, ' '..='~')).collect::<String>();
    HeaderValue::from_static(text(&visible))
}
