//! Checks of CORS settings, which a program or a command-line flag can also set.

use super::{Fault, Faults};
use crate::{
    def::{HstsDef, Limit, Limits, RateDef, RateLimitDef, Timeout},
    grammar::{FIELD_NAME, ORIGIN, PROXY, RATE, SERVED_HOST, is_rate},
    outline::PlacedText,
    problem::{Problem, excerpt},
};

/// Checks the allowed origins of CORS, and the names of the allowed request header fields.
///
/// ```
/// use nouns_declaration::{check, outline::PlacedText};
/// let any = [PlacedText { text: "*", at: () }];
/// let found = check::cors(&any, true, &[]);
/// assert_eq!((found.len(), found[0].problem.code()), (1, "N024"));
/// ```
pub fn cors<P: Copy>(
    origins: &[PlacedText<'_, P>],
    credentials: bool,
    headers: &[PlacedText<'_, P>],
) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    for origin in origins {
        if origin.text != "*" {
            found.extend(origin.at, ORIGIN.problem("origins", origin.text));
        } else if credentials {
            found.say(origin.at, Problem::AnyOriginWithCredentials);
        } else if let Some(other) = origins.iter().find(|other| other.text != "*") {
            found.say(origin.at, Problem::AnyOriginAndOthers { other: excerpt(other.text) });
        }
    }
    for header in headers {
        found.extend(header.at, FIELD_NAME.problem("headers", header.text));
    }
    found.0
}

/// Checks that limits and timeouts are in their ranges, for settings that no schema file has.
///
/// ```
/// use nouns_declaration::{check, def::{Limit, Limits}};
/// let found = check::limits(&Limits::DEFAULT.with(Limit::Parameters, 0));
/// assert_eq!((found.len(), found[0].code()), (1, "N021"));
/// ```
#[must_use]
pub fn limits(limits: &Limits) -> Vec<Problem> {
    let of_limits = Limit::ALL.iter().map(|one| {
        let value = limits.get(*one);
        (one.key(), value, value.to_string(), one.range(), one.rule())
    });
    let of_timeouts = Timeout::ALL.iter().map(|one| {
        let time = limits.timeout(*one);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        (one.key(), millis, format!("{time:?}"), one.range(), one.rule())
    });
    let all = of_limits.chain(of_timeouts);
    let outside = all.filter(|(_, value, _, (least, most), _)| !(least..=most).contains(&value));
    outside
        .map(|(key, _, text, _, rule)| Problem::BadText { key: key.to_owned(), text, rule })
        .collect()
}

/// Checks the names of the hosts that are served.
///
/// ```
/// use nouns_declaration::{check, outline::PlacedText};
/// let found = check::hosts(&[PlacedText { text: "zoo.example:80", at: () }]);
/// assert_eq!((found.len(), found[0].problem.code()), (1, "N021"));
/// ```
pub fn hosts<P: Copy>(hosts: &[PlacedText<'_, P>]) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    for host in hosts {
        found.extend(host.at, SERVED_HOST.problem("hosts", host.text));
    }
    found.0
}

/// Checks that rates are in their ranges, for settings that no schema file has.
///
/// ```
/// use nouns_declaration::{check, def::{RateDef, RateLimitDef}};
/// let client = Some(RateDef { requests: 0, seconds: 1 });
/// let found = check::rate_limit(RateLimitDef { client, account: None });
/// assert_eq!((found.len(), found[0].code()), (1, "N021"));
/// ```
#[must_use]
pub fn rate_limit(rates: RateLimitDef) -> Vec<Problem> {
    let rates = [("client", rates.client), ("account", rates.account)].into_iter();
    let bad = rates.filter_map(|(key, rate)| Some((key, rate.filter(|rate| !is_rate(*rate))?)));
    bad.map(|(key, RateDef { requests, seconds })| Problem::BadText {
        key: key.to_owned(),
        text: format!("{requests}/{seconds}s"),
        rule: RATE.says,
    })
    .collect()
}

/// Checks the promise to use TLS alone. Lists of hosts with `preload` ask for the other two values
/// (<https://hstspreload.org>).
///
/// ```
/// use nouns_declaration::{check, def::HstsDef};
/// let short = HstsDef { max_age_seconds: 60, include_subdomains: true, preload: true };
/// assert_eq!(check::hsts(short).unwrap().code(), "N021");
/// ```
#[must_use]
pub fn hsts(hsts: HstsDef) -> Option<Problem> {
    let is_enough = hsts.include_subdomains && hsts.max_age_seconds >= HstsDef::PRELOAD_SECONDS_MIN;
    (hsts.preload && !is_enough).then(|| Problem::BadText {
        key: "preload".to_owned(),
        text: "true".to_owned(),
        rule: "`false`, unless `include_subdomains` is `true` and `max_age` is at least `365d`",
    })
}

/// Checks the addresses of the trusted proxies.
///
/// ```
/// use nouns_declaration::{check, outline::PlacedText};
/// let found = check::trusted_proxies(&[PlacedText { text: "10.0.0.0/33", at: () }]);
/// assert_eq!((found.len(), found[0].problem.code()), (1, "N021"));
/// ```
pub fn trusted_proxies<P: Copy>(proxies: &[PlacedText<'_, P>]) -> Vec<Fault<P>> {
    let mut found = Faults(Vec::new());
    for proxy in proxies {
        found.extend(proxy.at, PROXY.problem("trusted_proxies", proxy.text));
    }
    found.0
}
