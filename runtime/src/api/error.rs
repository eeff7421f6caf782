//! [`ApiError`]: why an interface cannot be opened.

use std::fmt;

use crate::{model::LinkError, store::OpenError};

/// The reason why an interface cannot be opened.
#[derive(Debug)]
pub enum ApiError {
    /// The declaration has errors.
    Declaration(LinkError),
    /// The database cannot be opened, or does not fit the declaration.
    Database(OpenError),
}

impl From<LinkError> for ApiError {
    fn from(error: LinkError) -> Self {
        Self::Declaration(error)
    }
}

impl From<OpenError> for ApiError {
    fn from(error: OpenError) -> Self {
        Self::Database(error)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declaration(error) => error.fmt(f),
            Self::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ApiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Declaration(_) => None,
            Self::Database(error) => error.source(),
        }
    }
}
