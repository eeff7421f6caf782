//! [`Password`]: the type of fields that hold passwords.

use std::fmt;

use super::FieldType;
use crate::{
    base::{password_hash, secret::Secret},
    model::{
        def::{FieldKind, TypeDef},
        value::Value,
    },
};

/// A password of a member. The database has only its hash (Argon2id, RFC 9106), and neither a
/// response nor `Debug` shows it.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Password;
///
/// let password = Password::new("correct horse battery staple");
/// assert_eq!(password.plain(), Some("correct horse battery staple"));
/// assert_eq!(format!("{password:?}"), "[hidden]");
/// ```
///
/// A password in a new member or a patch is plain, so that hooks before a write can check it. In a
/// member that was read it is a hash; [`Store::has_password`](crate::Store::has_password) compares
/// it with a plain password.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(PasswordForm);

#[derive(Clone, PartialEq, Eq)]
enum PasswordForm {
    Plain(Secret),
    Hash(Secret),
}

impl Password {
    /// A plain password. It is hashed when it is stored.
    #[must_use]
    pub fn new(plain: &str) -> Self {
        Self(PasswordForm::Plain(Secret::new(plain)))
    }

    /// A password whose hash is known, for example from another system. Returns `None` unless the
    /// text is an Argon2id hash in the PHC string format, with a salt and with parameters up to 64
    /// MiB and 4 passes.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Password;
    ///
    /// let hash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l$AAAAAAAAAAAAAAAAAAAAAA";
    /// assert_eq!(Password::of_hash(hash).unwrap().hash(), Some(hash));
    /// assert!(Password::of_hash("secret").is_none());
    /// ```
    #[must_use]
    pub fn of_hash(hash: &str) -> Option<Self> {
        password_hash::is_hash(hash).then(|| Self(PasswordForm::Hash(Secret::new(hash))))
    }

    /// The plain password, as a client sent it; `None` if only the hash is known.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match &self.0 {
            PasswordForm::Plain(plain) => Some(plain.reveal()),
            PasswordForm::Hash(_) => None,
        }
    }

    /// The hash, in the PHC string format; `None` if the password is plain.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        match &self.0 {
            PasswordForm::Plain(_) => None,
            PasswordForm::Hash(hash) => Some(hash.reveal()),
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

impl From<&str> for Password {
    fn from(plain: &str) -> Self {
        Self::new(plain)
    }
}

impl From<String> for Password {
    fn from(plain: String) -> Self {
        Self::new(&plain)
    }
}

/// Refuses: a password leaves the program in no form.
#[cfg(feature = "serde")]
impl serde::Serialize for Password {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(UNSERIALIZABLE))
    }
}

/// Deserializes a plain password from a string.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Password {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// The error of a serializer.
#[cfg(feature = "serde")]
pub(crate) const UNSERIALIZABLE: &str = "a password cannot be serialized";

impl FieldType for Password {
    const DEF: &'static TypeDef = &TypeDef::new("password", FieldKind::Password);

    fn into_value(self, _: FieldKind) -> Value {
        match self.0 {
            PasswordForm::Plain(plain) => Value::Password(plain),
            PasswordForm::Hash(hash) => Value::Text(hash.reveal().to_owned()),
        }
    }

    /// A hash in the database may have been written by another program, so any text is accepted. A
    /// text that is no hash matches no password.
    fn from_value(_: FieldKind, value: Value) -> Option<Self> {
        match value {
            Value::Password(plain) => Some(Self(PasswordForm::Plain(plain))),
            Value::Text(hash) => Some(Self(PasswordForm::Hash(Secret::new(&hash)))),
            Value::Null | Value::Integer(_) | Value::Number(_) => None,
        }
    }
}
