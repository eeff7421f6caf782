//! HSTS: the promise to use TLS alone.

use std::time::Duration;

use super::cors::seconds;
use crate::model::def::HstsDef;

/// The promise of a host to use TLS alone, which browsers remember (RFC 6797).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Hsts {
    pub(super) max_age: Duration,
    include_subdomains: bool,
    preload: bool,
}

impl Hsts {
    /// Creates a promise that browsers remember for this time, in whole seconds.
    pub const fn new(max_age: Duration) -> Self {
        Self { max_age, include_subdomains: false, preload: false }
    }

    /// Sets whether the promise holds for all subdomains, too.
    pub const fn include_subdomains(mut self, included: bool) -> Self {
        self.include_subdomains = included;
        self
    }

    /// Sets whether browsers may be shipped with the promise (<https://hstspreload.org>). It must
    /// include subdomains then, and last a year.
    pub const fn preload(mut self, allowed: bool) -> Self {
        self.preload = allowed;
        self
    }

    pub(super) fn def(self) -> HstsDef {
        HstsDef {
            max_age_seconds: seconds(self.max_age),
            include_subdomains: self.include_subdomains,
            preload: self.preload,
        }
    }
}
