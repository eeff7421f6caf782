//! Interning: values that live as long as the program. Equal values are stored once, even if a
//! program declares its interface several times.

use std::sync::{Mutex, PoisonError};

use http::HeaderValue;

/// A set of interned values. A program has few of them, so the lookup is a linear search.
pub(crate) struct Interner<T: ?Sized + 'static>(Mutex<Vec<&'static T>>);

impl<T: ?Sized + PartialEq> Interner<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns the stored value that equals this one, or stores this value and returns it.
    pub(crate) fn intern(&self, value: Box<T>) -> &'static T {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(equal) = values.iter().find(|stored| ***stored == *value) {
            return equal;
        }
        let leaked: &'static T = Box::leak(value);
        values.push(leaked);
        leaked
    }
}

/// Interns a string.
pub(crate) fn text(text: &str) -> &'static str {
    static KNOWN: Interner<str> = Interner::new();
    KNOWN.intern(text.into())
}

/// Interns a string; returns `None` for `None`.
pub(crate) fn optional(value: Option<&str>) -> Option<&'static str> {
    value.map(text)
}

/// Interns the value of a header field. Clones of an interned value need no reference count, which
/// cores would contend for. Characters other than visible ASCII and the space are removed.
pub(crate) fn field(value: &str) -> HeaderValue {
    let visible =
        value.chars().filter(|character| matches!(character, ' '..='~')).collect::<String>();
    HeaderValue::from_static(text(&visible))
}
