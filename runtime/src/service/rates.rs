//! [`Rates`]: how many requests a client or an account may send in a time.
//!
//! Each client has a bucket with as many tokens as the limit. A request takes one, and tokens come
//! back evenly over the time. So a client may send a burst, and then as many as the limit says. A
//! bucket is one number: the time at which it is full again.
//!
//! A table that is full evicts the buckets that are nearly full themselves. What they lack counts
//! in a bucket that all clients without one of their own begin with. So nobody gains by the
//! eviction.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts};

use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
    },
    http::client::{Client, network},
    model::{
        Model,
        def::{RateDef, RateLimitDef},
        value::Value,
    },
    plan::Caller,
};

/// The header fields of draft-ietf-httpapi-ratelimit-headers-11.
static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The names of the rates in `RateLimit`.
const CLIENT: &str = "client";
const ACCOUNT: &str = "account";

/// The parts of the buckets, each with a lock of its own, so that workers seldom wait.
const SHARDS: usize = 16;

/// The maximum number of buckets in a part: of clients, or of accounts.
const SHARD_BUCKETS_MAX: usize = limits::RATE_BUCKETS_MAX / SHARDS / 2;

/// The share of the buckets that a full part evicts: one in this number.
const EVICTED_SHARE: usize = 8;

/// The buckets of all clients and accounts of a service. Its clones and workers share them.
#[derive(Debug)]
pub(super) struct Rates {
    begun: Instant,
    hasher: RandomState,
    clients: [Mutex<Buckets>; SHARDS],
    accounts: [Mutex<Buckets>; SHARDS],
}

/// A part of the buckets of one rate.
#[derive(Debug, Default)]
struct Buckets {
    /// The times at which buckets are full again.
    full_at: HashMap<u64, u64>,
    /// The latest of these times among the buckets that were evicted.
    rest: u64,
}

impl Buckets {
    fn get(&self, key: u64) -> u64 {
        self.full_at.get(&key).copied().unwrap_or(self.rest)
    }

    fn set(&mut self, key: u64, full_at: u64, now: u64) {
        if self.full_at.len() >= SHARD_BUCKETS_MAX && !self.full_at.contains_key(&key) {
            self.make_room(now);
        }
        self.full_at.insert(key, full_at);
    }

    /// Forgets the buckets that are full. If few are, evicts those that are full first.
    fn make_room(&mut self, now: u64) {
        self.full_at.retain(|_, full_at| *full_at > now);
        let count = self.full_at.len();
        if count <= SHARD_BUCKETS_MAX - SHARD_BUCKETS_MAX / EVICTED_SHARE {
            return;
        }
        let mut times: Vec<_> = self.full_at.values().copied().collect();
        let (_, last, _) = times.select_nth_unstable(count / EVICTED_SHARE);
        self.rest = self.rest.max(*last);
        self.full_at.retain(|_, full_at| *full_at > *last);
    }
}

/// The rest of a limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    name: &'static str,
    rate: RateDef,
    /// The requests that may follow at once.
    remaining: u32,
    /// The seconds until the bucket is full again.
    full_in: u64,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            hasher: RandomState::new(),
            clients: std::array::from_fn(|_| Mutex::default()),
            accounts: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

impl Rates {
    /// Counts a request of a caller: for its account if accounts have a limit, else for its
    /// address. Returns `None` if neither has one, and for the requests of a monitor.
    ///
    /// # Errors
    /// 429 with `Retry-After` if the limit is reached (RFC 6585 §4).
    pub(super) fn count(
        &self,
        model: &Model,
        head: &Parts,
        caller: &Caller,
    ) -> Result<Option<Quota>, Error> {
        let rates = model.api.server.rate_limit;
        if rates == RateLimitDef::NONE || is_probe(model, head) {
            return Ok(None);
        }
        if let Some(counted) = head.extensions.get::<Quota>() {
            return Ok(Some(*counted));
        }
        if let (Some(rate), Some(account)) = (rates.account, caller.account()) {
            let id = match &account.id {
                Value::Text(text) => (text.as_str(), 0),
                Value::Integer(id) => ("", *id),
                _ => ("", 0),
            };
            return self.take(("account", id), ACCOUNT, rate).map(Some);
        }
        self.count_client(model, head)
    }

    /// Counts a request that has failed before it was counted, for example because it has no route.
    /// It counts for its address. Returns the error for the response.
    #[cold]
    pub(super) fn count_failed(
        &self,
        model: &Model,
        head: &Parts,
        error: Error,
        quota: &mut Option<Quota>,
    ) -> Error {
        if quota.is_some() || error.kind() == Kind::TOO_MANY_REQUESTS || is_probe(model, head) {
            return error;
        }
        match self.count_client(model, head) {
            Ok(counted) => {
                *quota = counted;
                error
            }
            // After a fault of the head, the end of the request may be in doubt.
            Err(exceeded) => {
                match error.headers().iter().any(|(name, _)| *name == header::CONNECTION) {
                    true => {
                        exceeded.with_header(header::CONNECTION, HeaderValue::from_static("close"))
                    }
                    false => exceeded,
                }
            }
        }
    }

    /// Counts a request for its address, if addresses have a limit.
    fn count_client(&self, model: &Model, head: &Parts) -> Result<Option<Quota>, Error> {
        let Some(rate) = model.api.server.rate_limit.client else { return Ok(None) };
        let Some(address) = Client::counted_address(head, &model.proxies) else { return Ok(None) };
        self.take(("client", network(address)), CLIENT, rate).map(Some)
    }

    fn take(&self, key: impl Hash, name: &'static str, rate: RateDef) -> Result<Quota, Error> {
        let now = micros(self.begun.elapsed());
        self.take_at(self.hasher.hash_one(key), name, rate, now)
    }

    fn take_at(
        &self,
        key: u64,
        name: &'static str,
        rate: RateDef,
        now: u64,
    ) -> Result<Quota, Error> {
        let whole = u64::from(rate.seconds) * 1_000_000;
        let each = (whole / u64::from(rate.requests)).max(1);
        let parts = if name == ACCOUNT { &self.accounts } else { &self.clients };
        let mut buckets =
            parts[key as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner);
        let full_at = buckets.get(key).max(now);
        if full_at + each > now + whole {
            let wait = full_at + each - now - whole;
            drop(buckets);
            let quota = Quota { name, rate, remaining: 0, full_in: seconds(full_at - now) };
            return Err(quota.exceeded(seconds(wait)));
        }
        buckets.set(key, full_at + each, now);
        let full_in = full_at + each - now;
        let remaining = u32::try_from((whole - full_in) / each).unwrap_or(u32::MAX);
        Ok(Quota { name, rate, remaining, full_in: seconds(full_in) })
    }
}

/// Whether a request is one of those that load balancers and monitors send: they come often, and an
/// overloaded server must not seem to be dead.
fn is_probe(model: &Model, head: &Parts) -> bool {
    matches!(model.urls.below(head.uri.path()), Some("/-/health" | "/-/ready" | "/-/metrics"))
}

impl Quota {
    /// The error of a request that exceeds the limit.
    #[cold]
    fn exceeded(self, wait: u64) -> Error {
        let RateDef { requests, seconds } = self.rate;
        let detail = text!(
            "At most {requests} requests in {seconds} seconds are allowed.",
            requests,
            seconds
        );
        let mut fields = HeaderMap::new();
        self.add_to(&mut fields);
        let error = Error::new(Kind::TOO_MANY_REQUESTS, detail)
            .with_header(header::RETRY_AFTER, wait.into());
        fields.into_iter().fold(error, |error, (name, value)| match name {
            Some(name) => error.with_header(name, value),
            None => error,
        })
    }

    /// Adds the fields that tell the client its limit.
    pub(super) fn add_to(self, fields: &mut HeaderMap) {
        let Self { name, rate: RateDef { requests, seconds }, remaining, full_in } = self;
        let policy = format!("\"{name}\";q={requests};w={seconds}");
        let limit = format!("\"{name}\";r={remaining};t={full_in}");
        for (field, value) in [(&POLICY, policy), (&LIMIT, limit)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                fields.insert(field, value);
            }
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX / 4)
}

/// Microseconds as whole seconds, rounded up.
const fn seconds(micros: u64) -> u64 {
    micros.div_ceil(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: RateDef = RateDef { requests: 10, seconds: 20 };
    const SECOND: u64 = 1_000_000;

    fn remaining(rates: &Rates, key: u64, now: u64) -> Option<u32> {
        rates.take_at(key, "client", RATE, now).ok().map(|quota| quota.remaining)
    }

    #[test]
    fn a_burst_is_answered_and_then_one_in_each_interval() {
        let rates = Rates::default();
        let start = 100 * SECOND;
        for left in (0..10).rev() {
            assert_eq!(remaining(&rates, 1, start), Some(left));
        }
        assert_eq!(remaining(&rates, 1, start), None);
        assert_eq!(remaining(&rates, 1, start + 2 * SECOND - 1), None);
        assert_eq!(remaining(&rates, 1, start + 2 * SECOND), Some(0));
        assert_eq!(remaining(&rates, 1, start + 2 * SECOND), None);
        assert_eq!(remaining(&rates, 2, start), Some(9), "each client has its own bucket");
        assert_eq!(remaining(&rates, 1, start + 60 * SECOND), Some(9));
    }

    #[test]
    fn a_refusal_says_when_to_come_again() {
        let rates = Rates::default();
        for _ in 0..10 {
            assert!(remaining(&rates, 1, SECOND).is_some());
        }
        let refused = rates.take_at(1, "client", RATE, SECOND).unwrap_err();
        assert_eq!(refused.status().as_u16(), 429);
        let field = |name: &str| {
            let found = refused.headers().iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        assert_eq!(field("retry-after").as_deref(), Some("2"));
        assert_eq!(field("ratelimit-policy").as_deref(), Some("\"client\";q=10;w=20"));
        assert_eq!(field("ratelimit").as_deref(), Some("\"client\";r=0;t=20"));
    }

    #[test]
    fn the_memory_of_buckets_is_bounded() {
        let rates = Rates::default();
        for key in 0..3 * limits::RATE_BUCKETS_MAX as u64 {
            assert!(remaining(&rates, key, SECOND).is_some());
        }
        let parts = rates.clients.iter().chain(&rates.accounts);
        let count: usize = parts.map(|part| part.lock().unwrap().full_at.len()).sum();
        assert!(count <= limits::RATE_BUCKETS_MAX, "{count}");
    }

    /// Very many clients, such as the networks of an attacker, make nobody forgotten: neither one
    /// that has used its rate up, nor one that was evicted.
    #[test]
    fn a_full_table_forgets_nobody() {
        let (rates, many) = (Rates::default(), 1_000_000);
        while remaining(&rates, many, SECOND).is_some() {}
        assert_eq!(remaining(&rates, many + 1, SECOND), Some(9));
        for key in 0..3 * limits::RATE_BUCKETS_MAX as u64 {
            assert!(remaining(&rates, key, SECOND).is_some(), "new clients are served");
            assert_eq!(remaining(&rates, many, SECOND), None, "{key}");
        }
        let left: Vec<_> = (0..100).filter_map(|key| remaining(&rates, key, SECOND)).collect();
        assert_eq!(left.len(), 100);
        assert!(
            left.iter().all(|left| *left < 9),
            "an evicted client does not begin anew: {left:?}"
        );
        let account = rates.take_at(many, ACCOUNT, RATE, SECOND).unwrap();
        assert_eq!(account.remaining, 9, "clients do not take the room of accounts");
    }
}
