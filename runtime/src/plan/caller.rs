//! Callers, whose access rules apply to a request, and clients, whose load is limited.
//!
//! The identity of a caller separates stored responses to idempotent requests. The response key
//! says which callers may share a cached response. `reply/fields.rs` decides whether a response is
//! private in HTTP caches.

use std::{
    borrow::Cow,
    hash::{BuildHasher as _, RandomState},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    base::{hash::StableHasher, secret::Secret},
    http::client::network,
    model::{
        Default, FieldIx, FieldModel, Model, RuleSet,
        def::FieldKind,
        rule::RuleValue,
        value::{self, Value},
    },
    plan::{Account, Sources, grant::PasswordMark},
};

/// The caller on whose behalf an operation runs.
///
/// A program that identifies its clients itself sets the caller of a request before the service
/// receives it. For example, a tower layer inserts a `Caller` into the extensions of the request:
///
/// ```
/// # mod nouns { pub use http; pub use nouns_runtime::*; }
/// use nouns::{Caller, http::Request};
///
/// fn identify<B>(mut request: Request<B>) -> Request<B> {
///     let caller = match request.headers().get("x-api-key") {
///         Some(key) if key == "secret" => Caller::named("importer"),
///         _ => Caller::Anonymous,
///     };
///     request.extensions_mut().insert(caller);
///     request
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Caller {
    /// The program itself, or user code that acts for it. No access rule applies.
    #[default]
    System,
    /// A client that has sent no credentials.
    Anonymous,
    /// A client that the program has identified.
    #[non_exhaustive]
    Named {
        /// A name that no other client has.
        name: Arc<str>,
        /// The role that access rules know it by, if it has one.
        role: Option<Arc<str>>,
    },
    /// A client that has signed in to an account.
    Account(Arc<Account>),
}

/// The values that a statement compares rows with on behalf of a caller: those of its account, and
/// the time of the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallerValues {
    account: Option<Arc<Account>>,
    /// The time as a date, a time of day and a date-time. It is absent if no rule uses it.
    now: Option<Box<[Value; 3]>>,
}

/// The properties of a caller that a response depends on. Callers with equal keys may share a
/// cached response. All callers share responses with the default key, which no access rule affects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseKey {
    rules: RuleSet,
    /// The values of the account that the rules use.
    values: Vec<Value>,
    /// Whether the rules use the time, so that no stored response stays valid.
    is_momentary: bool,
}

impl Caller {
    /// A client that the program has identified. No other client may have this name.
    ///
    /// Access rules treat it as signed in. It has no account, so `$account.…` has no value.
    /// [`Store::caller_of`](crate::Store::caller_of) returns the caller of an account.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::Named { name: name.into(), role: None }
    }

    /// A client that the program has identified, with a role that access rules name.
    ///
    /// ```
    /// # mod nouns { pub use nouns_runtime::Caller; }
    /// use nouns::Caller;
    ///
    /// let caller = Caller::with_role("importer", "editor");
    /// assert_eq!((caller.name(), caller.role()), (Some("importer"), Some("editor")));
    /// ```
    #[must_use]
    pub fn with_role(name: &str, role: &str) -> Self {
        Self::Named { name: name.into(), role: Some(role.into()) }
    }

    /// The name of a client that the program has identified; `None` for another caller.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named { name, .. } => Some(name),
            Self::System | Self::Anonymous | Self::Account(_) => None,
        }
    }

    /// The role of the caller, if it has one.
    #[must_use]
    pub fn role(&self) -> Option<&str> {
        match self {
            Self::Named { role, .. } => role.as_deref(),
            Self::Account(account) => account.role(),
            Self::System | Self::Anonymous => None,
        }
    }

    /// The account that the caller has signed in to, if any.
    #[must_use]
    pub fn account(&self) -> Option<&Account> {
        match self {
            Self::Account(account) => Some(account),
            Self::System | Self::Anonymous | Self::Named { .. } => None,
        }
    }

    /// Whether the caller is known: it has signed in, or the program has identified it.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Anonymous)
    }

    /// An account with a role that is not stored, for explanations: it has no values. Without
    /// accounts, it is a client that the program has identified.
    #[must_use]
    #[doc(hidden)]
    pub fn example(model: &Model, role: Option<&str>) -> Self {
        let Some(accounts) = &model.accounts else {
            return Self::Named { name: "example".into(), role: role.map(Into::into) };
        };
        let nothing = |field: &FieldIx| match model[accounts.resource][*field].kind {
            FieldKind::Integer | FieldKind::Reference => Value::Integer(0),
            _ => Value::Text(String::new()),
        };
        Self::Account(Arc::new(Account {
            id: nothing(&FieldIx::ID),
            login: String::new(),
            role: role.map(str::to_owned),
            values: accounts.values.iter().map(nothing).collect(),
            password: PasswordMark::of(""),
            hash: Secret::new(""),
            has_password: false,
            grant: None,
            until: None,
        }))
    }

    /// Returns the access rules that apply to the requests of this caller.
    #[must_use]
    #[doc(hidden)]
    pub fn rules(&self, model: &Model) -> RuleSet {
        match self {
            Self::System => RuleSet::NONE,
            Self::Anonymous => model.rules_of_anonymous(),
            Self::Named { .. } | Self::Account(_) => model.rules_of_role(self.role()),
        }
    }

    /// Returns the value of a field in a new member of this caller if the body does not have the
    /// field. Null if the field has no default, or if the caller has no such value.
    pub(crate) fn initial(&self, field: &FieldModel) -> Value {
        match &field.default {
            None => Value::Null,
            Some(Default::Value(value)) => value.clone(),
            Some(Default::Now) => value::now_as(field.kind),
            Some(Default::Account(at)) => {
                let values = self.account().map(|account| &account.values);
                values
                    .and_then(|values| values.get(usize::from(*at)))
                    .cloned()
                    .unwrap_or(Value::Null)
            }
        }
    }

    /// Returns a name that no other caller has. It keeps equal `Idempotency-Key`s of different
    /// callers apart.
    pub(crate) fn identity(&self) -> Cow<'static, str> {
        match self {
            Self::System => "system".into(),
            Self::Anonymous => "0".into(),
            // The quotes keep a name from looking like another part of the text around it.
            Self::Named { name, .. } => format!("named {name:?}").into(),
            Self::Account(account) if account.id.is_null() => {
                format!("token {:?}", account.login).into()
            }
            Self::Account(account) => format!("account {:?}", account.id).into(),
        }
    }

    /// Returns the values that statements on behalf of this caller need.
    pub(crate) fn values(&self, model: &Model) -> CallerValues {
        let account = match self {
            Self::Account(account) => Some(Arc::clone(account)),
            Self::System | Self::Anonymous | Self::Named { .. } => None,
        };
        let uses_now = *self != Self::System && model.rules_use_now();
        let now = || [FieldKind::Date, FieldKind::Time, FieldKind::DateTime].map(value::now_as);
        CallerValues { account, now: uses_now.then(|| Box::new(now())) }
    }
}

impl CallerValues {
    /// Whether a value is the default of a field, and comes from the caller's account.
    pub(crate) fn is_default(&self, field: &FieldModel, value: &Value) -> bool {
        let Some(Default::Account(at)) = field.default else { return false };
        self.get(&RuleValue::Account(at)) == value
    }

    /// Returns the value that a test compares a field with. It is null if the caller has none.
    pub(crate) fn get<'a>(&'a self, value: &'a RuleValue) -> &'a Value {
        let found = match value {
            RuleValue::Fixed(value) => Some(value),
            RuleValue::Account(at) => {
                self.account.as_ref().and_then(|account| account.values.get(usize::from(*at)))
            }
            RuleValue::Now(kind) => self.now.as_ref().map(|now| match kind {
                FieldKind::Date => &now[0],
                FieldKind::Time => &now[1],
                _ => &now[2],
            }),
        };
        found.unwrap_or(&Value::Null)
    }
}

impl ResponseKey {
    /// Returns what the rules for the rows of a response look at in a caller, or the default key if
    /// no rule affects the rows. Callers with different rules may pass different rows, so a
    /// response that passes any is never shared by all of them.
    pub(crate) fn of(
        model: &Model,
        Sources { place, passed, .. }: &Sources,
        caller: &CallerValues,
    ) -> Self {
        let mut key = Self::default();
        if passed.is_some() || model[place.resource].has_field_rules {
            key.rules = place.rules;
        }
        let passed = passed.as_deref().unwrap_or_default();
        let rules = model.read_rules(*place).chain(model.passed_rules(place.rules, passed));
        for rule in rules {
            key.rules = place.rules;
            for value in &rule.values {
                match value {
                    RuleValue::Fixed(_) => {}
                    RuleValue::Account(_) => key.values.push(caller.get(value).clone()),
                    RuleValue::Now(_) => key.is_momentary = true,
                }
            }
        }
        key
    }

    /// Returns a key that differs from the default key.
    #[cfg(test)]
    pub(crate) fn of_number(number: u16) -> Self {
        Self { rules: RuleSet::of_number(number), ..Self::default() }
    }

    /// Whether all callers may share a response with this key.
    pub(crate) fn is_shared(&self) -> bool {
        self.rules == RuleSet::NONE
    }

    /// Whether the response depends on the time, so that it has no validator and is not cached.
    pub(crate) const fn is_momentary(&self) -> bool {
        self.is_momentary
    }

    /// Returns a hash of the key. It is 0 for the default key.
    pub(crate) fn number(&self) -> u64 {
        if self.is_shared() {
            return 0;
        }
        let hash = StableHasher::new().number(self.rules.number().into());
        let of_value = |hash: StableHasher, value: &Value| match value {
            Value::Integer(value) => hash.bytes(b"i").number(value.cast_unsigned()),
            Value::Number(value) => hash.bytes(b"n").number(value.to_bits()),
            Value::Text(text) => hash.bytes(b"t").text(text),
            Value::Null | Value::Password(_) => hash.bytes(b"0"),
        };
        self.values.iter().fold(hash, of_value).finish()
    }
}

/// The client that a request counts towards, where clients share a limited resource such as the
/// read threads. A client is a connection, or the address that a trusted proxy names.
///
/// A client key does not identify a user. Access rules and responses do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientKey {
    /// The program itself, which calls the store from Rust code.
    #[default]
    Program,
    /// All requests whose connection is unknown.
    Unknown,
    /// A connection of the server of this crate, by the number of the connection.
    Connection(u64),
    /// A connection, by a hash of the address that its server sets as
    /// [`Peer`](crate::http::client::Peer).
    Peer(u64),
    /// All connections of a client that a trusted proxy names, by a hash of its address.
    Address(u64),
}

/// The keys of the hashes of addresses. They are random, so no client can choose an address with
/// the hash of another.
static ADDRESS_HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl ClientKey {
    /// Returns the key of a new connection, with the next number.
    pub(crate) fn connect() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the key of the connection from an address.
    pub(crate) fn peer(address: SocketAddr) -> Self {
        Self::Peer(ADDRESS_HASHER.hash_one(address))
    }

    /// Returns the key of all connections of the client with an address.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(ADDRESS_HASHER.hash_one(address))
    }

    /// Returns the key of all clients in the network of an address.
    pub(crate) fn network(address: IpAddr) -> Self {
        Self::Address(ADDRESS_HASHER.hash_one(network(address)))
    }

    /// Whether several clients may have this key.
    pub(crate) const fn is_shared(self) -> bool {
        matches!(self, Self::Program | Self::Unknown)
    }
}
