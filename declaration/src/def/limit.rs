//! The limits and timeouts that a declaration, a flag or a variable can change, each with its
//! default, its range and its reason.
//!
//! They are a table, so that schema files, Rust programs, flags, the JSON Schema and the checks
//! have the same keys and the same values.

use std::fmt;

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitUnit {
    /// A number of things.
    Count,
    /// A number of bytes, which may be written as a size, such as `64KiB`.
    Bytes,
}

/// Generates an enum of limits. Each row has the mapping of `server` that the key is in, the key,
/// the default, the range, the rule in messages, the meaning, and the reason.
macro_rules! limits {
    ($(#[$doc:meta])* pub enum $name:ident: $array:ident {
        $($variant:ident = $group:literal . $key:literal, $unit:expr, $default:expr,
            $least:expr => $most:expr, $rule:literal, $says:literal, $why:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $says] #[doc = ""] #[doc = $why] $variant,)*
        }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name of the variant in Rust.
            #[must_use]
            pub const fn rust(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)* }
            }

            /// The key of `server` whose mapping has the key.
            #[must_use]
            pub const fn group(self) -> &'static str {
                match self { $(Self::$variant => $group,)* }
            }

            /// The key in the mapping.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        unit: $unit, default: $default, least: $least, most: $most, rule: $rule,
                        says: $says, why: $why,
                    },)*
                }
            }

            /// The smallest and the largest value.
            #[must_use]
            pub const fn range(self) -> (u64, u64) {
                (self.row().least, self.row().most)
            }

            /// The text in messages that says what a value must be.
            #[must_use]
            pub const fn rule(self) -> &'static str {
                self.row().rule
            }

            /// A sentence that says what it limits.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                self.row().says
            }

            /// The reason for the default, in one or two sentences.
            #[must_use]
            pub const fn reason(self) -> &'static str {
                self.row().why
            }
        }

        /// The default values, in the order of the enum.
        const $array: [u64; $name::ALL.len()] = [$($default),*];
    };
}

/// The facts about a limit or a timeout.
struct Row {
    unit: LimitUnit,
    default: u64,
    least: u64,
    most: u64,
    rule: &'static str,
    says: &'static str,
    why: &'static str,
}

const COUNT: LimitUnit = LimitUnit::Count;
const BYTES: LimitUnit = LimitUnit::Bytes;
const MILLISECONDS: LimitUnit = LimitUnit::Count;
const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

limits! {
    /// A limit on a number or a size. Its value is a whole number, of bytes where it is a size.
    ///
    /// ```
    /// # use nouns_declaration::def as nouns;
    /// use nouns::Limit;
    /// let limit = Limit::BodyBytes;
    /// assert_eq!((limit.group(), limit.key(), limit.default()), ("limits", "body_bytes", 1 << 20));
    /// ```
    pub enum Limit: LIMITS {
        KeepAliveRequests = "keep_alive"."requests", COUNT, 10_000, 1 => 1_000_000_000,
            "a whole number from 1 to 1000000000",
            "The maximum number of requests on one connection.",
            "The memory of a connection is free after some time. Opening another costs as much as three requests.";
        TargetBytes = "limits"."target_bytes", BYTES, 16 * KIB, KIB => 56 * KIB,
            "a size from `1KiB` to `56KiB`",
            "The maximum length of a request target; beyond it, 414.",
            "RFC 9112 §3 recommends at least 8,000 bytes for the request line.";
        HeaderBytes = "limits"."header_bytes", BYTES, 64 * KIB, 4 * KIB => 256 * KIB,
            "a size from `4KiB` to `256KiB`",
            "The maximum size of the header fields of a request, names and values; beyond it, 431.",
            "The cookies of an ordinary browser are several times smaller.";
        Headers = "limits"."headers", COUNT, 100, 16 => 1000,
            "a whole number from 16 to 1000",
            "The maximum number of header fields of a request; beyond it, 431.",
            "Browsers send some twenty, and proxies add a few.";
        BodyBytes = "limits"."body_bytes", BYTES, MIB, KIB => 16 * MIB,
            "a size from `1KiB` to `16MiB`",
            "The maximum size of a request body, also after it is decompressed; beyond it, 413.",
            "A form with long texts needs a hundredth of it. A worker may hold one body for each connection.";
        BodyRate = "limits"."body_rate", BYTES, 100, 0 => MIB,
            "a size from `0` to `1MiB`",
            "The minimum number of bytes of a body that must arrive in each second, over some seconds; below it, 408.",
            "All networks in use are faster, and a client that sends single bytes holds memory.";
        JsonDepth = "limits"."json_depth", COUNT, 64, 1 => 100,
            "a whole number from 1 to 100",
            "The maximum nesting depth of a value in a field of type `json`.",
            "The database and many clients parse JSON recursively.";
        Parameters = "limits"."parameters", COUNT, 100, 1 => 1000,
            "a whole number from 1 to 1000",
            "The maximum number of query parameters, besides the two of a page.",
            "A form has fewer fields.";
        Filters = "limits"."filters", COUNT, 100, 1 => 500,
            "a whole number from 1 to 500",
            "The maximum number of conditions in a filter.",
            "Each condition makes the statement longer, and a form has fewer fields.";
        FilterValues = "limits"."filter_values", COUNT, 500, 1 => 10_000,
            "a whole number from 1 to 10000",
            "The maximum number of values in all conditions of a filter together.",
            "A statement with more values takes longer to compile than to run.";
        ListValues = "limits"."list_values", COUNT, 500, 1 => 10_000,
            "a whole number from 1 to 10000",
            "The maximum number of values in one list, such as that of `[in]`.",
            "It is as many as a whole filter may have.";
        PageMembers = "limits"."page_members", COUNT, 10_000, 1 => 10_000,
            "a whole number from 1 to 10000",
            "The maximum page size, also where a resource declares a larger `limit.maximum`.",
            "A page is built in memory. Resources declare their own maximum, 100 by default.";
        Connections = "limits"."connections", COUNT, 16_384, 1 => 1_000_000,
            "a whole number from 1 to 1000000",
            "The maximum number of open connections, for all workers together; beyond it, 503.",
            "An idle connection takes some kilobytes. The system may allow fewer open files.";
        ClientConnections = "limits"."client_connections", COUNT, 4096, 1 => 1_000_000,
            "a whole number from 1 to 1000000",
            "The maximum number of open connections from an address, or from a `/64` of IPv6; not for proxies.",
            "One client must not take all connections.";
        Requests = "limits"."requests", COUNT, 4096, 1 => 1_000_000,
            "a whole number from 1 to 1000000",
            "The maximum number of requests that wait, for a body, a write or a slow read; beyond it, 503.",
            "Each may hold a body. The queues behind have limits of their own.";
        ClientRequests = "limits"."client_requests", COUNT, 1024, 1 => 1_000_000,
            "a whole number from 1 to 1000000",
            "The maximum number of requests from an address, or from a `/64` of IPv6, that wait; not for proxies.",
            "One client must not take all places, and few programs have 1,000 requests in flight.";
    }
}

limits! {
    /// A timeout. Its value is a duration in whole milliseconds.
    ///
    /// ```
    /// # use nouns_declaration::def as nouns;
    /// use nouns::Timeout;
    /// use std::time::Duration;
    /// assert_eq!(Timeout::Head.default(), Duration::from_secs(10));
    /// ```
    pub enum Timeout: TIMEOUTS {
        KeepAliveIdle = "keep_alive"."idle", MILLISECONDS, 30 * SECOND, SECOND => HOUR,
            "a duration from `1s` to `1h`",
            "The maximum time until the first byte of the next request; then the connection is closed.",
            "Browsers send the next requests of a page within this time. An idle connection holds memory.";
        Head = "timeouts"."head", MILLISECONDS, 10 * SECOND, 100 => 10 * MINUTE,
            "a duration from `100ms` to `10m`",
            "The maximum time until the head of a request has arrived, from its first byte; then 408.",
            "A head is small, and its connection holds memory.";
        Body = "timeouts"."body", MILLISECONDS, 30 * SECOND, 100 => HOUR,
            "a duration from `100ms` to `1h`",
            "The maximum time until the body of a request has arrived, counted from the end of the head; then 408.",
            "The largest body arrives in it at 35 KiB a second.";
        WriteStall = "timeouts"."write_stall", MILLISECONDS, 30 * SECOND, SECOND => 10 * MINUTE,
            "a duration from `1s` to `10m`",
            "The time in which a client must take 64 KiB of a response that waits; then its connection is reset.",
            "A network that loses packets recovers within seconds.";
        Request = "timeouts"."request", MILLISECONDS, 30 * SECOND, 100 => HOUR,
            "a duration from `100ms` to `1h`",
            "The maximum time from the head of a request to the status of its response; then 503.",
            "Most clients have gone by then. Exports go on after their status, with limits of their own.";
        Queue = "timeouts"."queue", MILLISECONDS, 50, 1 => MINUTE,
            "a duration from `1ms` to `1m`",
            "The time that requests may wait for a worker for longer than a moment; beyond it, new ones get 503.",
            "512 requests of one client that come together are answered in half of it.";
    }
}

impl Limit {
    /// The unit of the number.
    #[must_use]
    pub const fn unit(self) -> LimitUnit {
        self.row().unit
    }

    /// The value of a declaration that sets none.
    #[must_use]
    pub const fn default(self) -> u64 {
        self.row().default
    }
}

impl Timeout {
    /// The value of a declaration that sets none.
    #[must_use]
    pub const fn default(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.row().default)
    }
}

/// The values of all limits and timeouts.
///
/// ```
/// # use nouns_declaration::def as nouns;
/// use nouns::{Limit, Limits};
/// let limits = Limits::DEFAULT.with(Limit::Parameters, 20);
/// assert_eq!(limits.get(Limit::Parameters), 20);
/// assert_eq!(limits.get(Limit::Filters), 100);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    limits: [u64; Limit::ALL.len()],
    millis: [u64; Timeout::ALL.len()],
}

impl Limits {
    /// The values of a declaration that sets none.
    pub const DEFAULT: Self = Self { limits: LIMITS, millis: TIMEOUTS };

    /// The value of a limit.
    #[must_use]
    pub const fn get(&self, limit: Limit) -> u64 {
        self.limits[limit as usize]
    }

    /// The value of a limit, as the length of something in memory.
    #[must_use]
    pub fn size(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// The value of a timeout.
    #[must_use]
    pub const fn timeout(&self, timeout: Timeout) -> std::time::Duration {
        std::time::Duration::from_millis(self.millis[timeout as usize])
    }

    /// The same values with another one for a limit.
    #[must_use]
    pub const fn with(mut self, limit: Limit, value: u64) -> Self {
        self.limits[limit as usize] = value;
        self
    }

    /// The same values with another one for a timeout, in milliseconds.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Timeout, millis: u64) -> Self {
        self.millis[timeout as usize] = millis;
        self
    }
}

/// Shows the values that differ from the defaults.
impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = Limit::ALL.iter().map(|one| (one.rust(), self.get(*one), one.default()));
        let limits = limits.filter(|(_, value, usual)| value != usual);
        let timeouts =
            Timeout::ALL.iter().map(|one| (one.rust(), self.timeout(*one), one.default()));
        let timeouts = timeouts.filter(|(_, time, usual)| time != usual);
        f.debug_map()
            .entries(limits.map(|(name, value, _)| (name, value)))
            .entries(timeouts.map(|(name, time, _)| (name, time)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_their_ranges_and_keys_occur_once() {
        let limits = Limit::ALL.iter().map(|one| (one.group(), one.key(), one.row()));
        let timeouts = Timeout::ALL.iter().map(|one| (one.group(), one.key(), one.row()));
        let mut seen = vec![];
        for (group, key, row) in limits.chain(timeouts) {
            assert!((row.least..=row.most).contains(&row.default), "{group}.{key}");
            assert!(!seen.contains(&(group, key)), "{group}.{key}");
            seen.push((group, key));
            assert!(row.says.ends_with('.') && row.why.ends_with('.'), "{group}.{key}");
        }
        assert_eq!(Limits::DEFAULT.get(Limit::ClientRequests), Limit::ClientRequests.default());
        assert_eq!(Limits::DEFAULT.timeout(Timeout::Queue), Timeout::Queue.default());
    }

    #[test]
    fn a_rule_says_the_range() {
        let size = |bytes: u64| match bytes {
            0 => "`0`".to_owned(),
            _ if bytes.is_multiple_of(MIB) => format!("`{}MiB`", bytes / MIB),
            _ => format!("`{}KiB`", bytes / KIB),
        };
        let time = |millis: u64| match millis {
            _ if millis.is_multiple_of(HOUR) => format!("`{}h`", millis / HOUR),
            _ if millis.is_multiple_of(MINUTE) => format!("`{}m`", millis / MINUTE),
            _ if millis.is_multiple_of(SECOND) => format!("`{}s`", millis / SECOND),
            _ => format!("`{millis}ms`"),
        };
        for limit in Limit::ALL {
            let ((least, most), unit) = (limit.range(), limit.unit());
            let expected = match unit {
                LimitUnit::Count => format!("a whole number from {least} to {most}"),
                LimitUnit::Bytes => format!("a size from {} to {}", size(least), size(most)),
            };
            assert_eq!(limit.rule(), expected, "{limit:?}");
        }
        for timeout in Timeout::ALL {
            let (least, most) = timeout.range();
            let expected = format!("a duration from {} to {}", time(least), time(most));
            assert_eq!(timeout.rule(), expected, "{timeout:?}");
        }
    }
}
