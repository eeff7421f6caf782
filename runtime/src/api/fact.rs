//! The contact and the licence of an interface.

use crate::{
    base::interner::{Interner, optional},
    model::def::{ContactDef, ExtensionDef, LicenseDef},
};

/// The contact for questions about an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Contact {
    name: Option<String>,
    url: Option<String>,
    email: Option<String>,
    pub(super) extensions: Vec<(String, String)>,
}

impl Contact {
    /// Creates an empty contact.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the person or team to contact.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the URL of a page about the person or team.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Sets the email address of the person or team.
    pub fn email(mut self, email: impl Into<String>) -> Self {
        self.email = Some(email.into());
        self
    }

    /// Adds an extension: a key that begins with `x-`, and its value as JSON text.
    pub fn extension(mut self, name: impl Into<String>, json: impl Into<String>) -> Self {
        self.extensions.push((name.into(), json.into()));
        self
    }

    pub(super) fn def(&self) -> ContactDef {
        ContactDef {
            name: optional(self.name.as_deref()),
            url: optional(self.url.as_deref()),
            email: optional(self.email.as_deref()),
            extensions: extensions(&self.extensions),
        }
    }
}

/// The licence of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct License {
    name: String,
    identifier: Option<String>,
    pub(super) extensions: Vec<(String, String)>,
}

impl License {
    /// Creates a licence with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), identifier: None, extensions: vec![] }
    }

    /// Sets the SPDX expression of the licence, such as `MIT OR Apache-2.0`.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.identifier = Some(identifier.into());
        self
    }

    /// Adds an extension: a key that begins with `x-`, and its value as JSON text.
    pub fn extension(mut self, name: impl Into<String>, json: impl Into<String>) -> Self {
        self.extensions.push((name.into(), json.into()));
        self
    }

    pub(super) fn def(&self) -> LicenseDef {
        LicenseDef {
            name: crate::base::interner::text(&self.name),
            identifier: optional(self.identifier.as_deref()),
            extensions: extensions(&self.extensions),
        }
    }
}

/// Converts extensions (keys that begin with `x-`) to declaration data.
pub(super) fn extensions(given: &[(String, String)]) -> &'static [ExtensionDef] {
    static KNOWN: Interner<[ExtensionDef]> = Interner::new();
    let text = crate::base::interner::text;
    KNOWN.intern(
        given
            .iter()
            .map(|(name, json)| ExtensionDef { name: text(name), json: text(json) })
            .collect(),
    )
}
