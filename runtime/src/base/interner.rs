//! Definitions that live as long as the program: what is equal is kept once, however often an
//! interface is declared.

use std::sync::{Mutex, PoisonError};

use http::HeaderValue;

/// Keeps values of a type; few of them, so they are looked through.
pub(crate) struct Interner<T: ?Sized + 'static>(Mutex<Vec<&'static T>>);

impl<T: ?Sized + PartialEq> Interner<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The one that is equal, or this one from now on.
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

/// A text for ever.
pub(crate) fn text(text: &str) -> &'static str {
    static KNOWN: Interner<str> = Interner::new();
    KNOWN.intern(text.into())
}

/// A text for ever, where there is one.
pub(crate) fn optional(value: Option<&str>) -> Option<&'static str> {
    value.map(text)
}

/// The value of a field of a header for ever, so that its clones share no counter between cores.
/// What cannot stand in a field is left out of it.
pub(crate) fn field(value: &str) -> HeaderValue {
    let visible =
        value.chars().filter(|character| matches!(character, ' '..='~')).collect::<String>();
    HeaderValue::from_static(text(&visible))
}
