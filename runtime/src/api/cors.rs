//! CORS: the foreign origins that may use an interface from a browser.

use std::time::Duration;

use crate::{
    base::interner::{Interner, text},
    model::def::CorsDef,
};

/// The CORS policy of an interface: the foreign origins that may use it from a browser (Fetch
/// standard, CORS protocol).
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Api, Cors};
/// let cors = Cors::new().origin("https://zoo.example").credentials(true).header("X-Request-Id");
/// let model = Api::new("City zoos").cors(cors).build().unwrap();
/// assert_eq!(model.api.server.cors.unwrap().origins, ["https://zoo.example"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Cors {
    origins: Vec<String>,
    credentials: bool,
    headers: Vec<String>,
    pub(super) max_age: Option<Duration>,
}

impl Cors {
    /// Creates a policy that allows no foreign origin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an allowed origin, spelled as browsers send it, such as `https://zoo.example`. `*` as
    /// the only origin allows every origin.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets whether requests may carry credentials such as cookies; by default they may not.
    pub const fn credentials(mut self, allowed: bool) -> Self {
        self.credentials = allowed;
        self
    }

    /// Allows a request header field, in addition to the fields that the interface itself reads.
    pub fn header(mut self, name: impl Into<String>) -> Self {
        self.headers.push(name.into());
        self
    }

    /// Sets how long a browser may cache the response to a preflight request. The duration must be
    /// whole seconds; the default is ten minutes.
    pub const fn max_age(mut self, max_age: Duration) -> Self {
        self.max_age = Some(max_age);
        self
    }

    pub(super) fn def(&self) -> CorsDef {
        CorsDef {
            origins: texts(&self.origins),
            credentials: self.credentials,
            headers: texts(&self.headers),
            max_age_seconds: self.max_age.map_or(CorsDef::MAX_AGE_SECONDS, seconds),
        }
    }
}

/// The whole seconds of a duration. The checker has already refused fractions of a second and
/// durations that are too long.
pub(super) fn seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_secs()).unwrap_or(u32::MAX)
}

/// Interns a list of strings, so that equal lists are stored once.
pub(super) fn texts(texts: &[String]) -> &'static [&'static str] {
    static KNOWN: Interner<[&'static str]> = Interner::new();
    KNOWN.intern(texts.iter().map(|one| text(one)).collect())
}
