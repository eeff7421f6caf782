//! The flags of `nouns serve` for limits and timeouts. There is one for each key of the schema.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, error::Error};
use nouns_codegen::schema::{self, duration, size};
use nouns_runtime::{
    Limit, Timeout,
    def::{LimitUnit, Limits},
};

/// The heading of the flags in the help.
const HEADING: &str = "Limits and timeouts";

/// The values of the flags that were given.
#[derive(Clone, Debug, Default)]
pub(super) struct LimitFlags {
    limits: Vec<(Limit, u64)>,
    timeouts: Vec<(Timeout, u64)>,
}

impl LimitFlags {
    /// Replaces values of the schema by those of the flags.
    pub(super) fn override_in(&self, server: &mut schema::Server) {
        let limits = self.limits.iter();
        let limits = limits.fold(server.limits, |all, (limit, value)| all.with(*limit, *value));
        let timeouts = self.timeouts.iter();
        server.limits = timeouts
            .fold(limits, |all: Limits, (timeout, millis)| all.with_timeout(*timeout, *millis));
    }
}

/// The name of a flag: `limit-body-bytes`, `timeout-head`, `keep-alive-idle`.
fn name(group: &str, key: &str) -> String {
    format!("{}-{key}", group.trim_end_matches('s')).replace('_', "-")
}

fn limit_arg(limit: Limit) -> Arg {
    let (least, most) = limit.range();
    let parse = move |text: &str| {
        let number = text.parse().ok();
        let value = match limit.unit() {
            LimitUnit::Count => number,
            LimitUnit::Bytes => number.or_else(|| size::bytes(text).ok()),
        };
        let value = value.filter(|value: &u64| (least..=most).contains(value));
        value.ok_or_else(|| format!("it must be {}", limit.rule()))
    };
    let (usual, value_name) = match limit.unit() {
        LimitUnit::Count => (limit.default().to_string(), "NUMBER"),
        LimitUnit::Bytes => (size::text(limit.default()), "SIZE"),
    };
    arg(limit.group(), limit.key(), limit.meaning(), &usual)
        .value_name(value_name)
        .value_parser(parse)
}

fn timeout_arg(timeout: Timeout) -> Arg {
    let (least, most) = timeout.range();
    let parse = move |text: &str| {
        let millis = duration::milliseconds(text).ok();
        let millis = millis.filter(|millis| (least..=most).contains(millis));
        millis.ok_or_else(|| format!("it must be {}", timeout.rule()))
    };
    let usual = duration::text_of(timeout.default());
    arg(timeout.group(), timeout.key(), timeout.meaning(), &usual)
        .value_name("DURATION")
        .value_parser(parse)
}

fn arg(group: &str, key: &str, meaning: &str, usual: &str) -> Arg {
    // The parser of the command line keeps names for the whole program.
    let name: &'static str = name(group, key).leak();
    let variable: &'static str = format!("NOUNS_{}", name.replace('-', "_").to_uppercase()).leak();
    let meaning = meaning.trim_end_matches('.');
    Arg::new(name)
        .long(name)
        .env(variable)
        .help(format!("{meaning} [default: the value in the schema, or {usual}]"))
        .help_heading(HEADING)
        .hide_short_help(true)
}

impl Args for LimitFlags {
    fn augment_args(command: Command) -> Command {
        let limits = Limit::ALL.iter().map(|limit| limit_arg(*limit));
        let timeouts = Timeout::ALL.iter().map(|timeout| timeout_arg(*timeout));
        command.args(limits.chain(timeouts))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LimitFlags {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        let value = |group: &str, key: &str| given.get_one::<u64>(&name(group, key)).copied();
        let limits = Limit::ALL.iter();
        let limits =
            limits.filter_map(|one| Some((*one, value(one.group(), one.key())?))).collect();
        let timeouts = Timeout::ALL.iter();
        let timeouts =
            timeouts.filter_map(|one| Some((*one, value(one.group(), one.key())?))).collect();
        Ok(Self { limits, timeouts })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        limits: LimitFlags,
    }

    fn parse(flags: &[&str]) -> Result<Limits, String> {
        let given = <Program as clap::Parser>::try_parse_from(["nouns"].iter().chain(flags));
        let mut server = schema::Server::default();
        given.map_err(|error| error.to_string())?.limits.override_in(&mut server);
        Ok(server.limits)
    }

    #[test]
    fn each_limit_has_a_flag() {
        let flags = ["--limit-body-bytes=2MiB", "--timeout-head=500ms", "--keep-alive-idle", "5s"];
        let limits = parse(&flags).unwrap();
        assert_eq!(limits.get(Limit::BodyBytes), 2 << 20);
        assert_eq!(limits.timeout(Timeout::Head).as_millis(), 500);
        assert_eq!(limits.timeout(Timeout::KeepAliveIdle).as_secs(), 5);
        assert_eq!(parse(&[]).unwrap(), Limits::DEFAULT);
        assert_eq!(parse(&["--limit-header-bytes=8192"]).unwrap().get(Limit::HeaderBytes), 8192);
    }

    #[test]
    fn a_value_outside_of_its_range_is_refused_with_the_rule() {
        for (flag, rule) in [
            ("--limit-body-bytes=17MiB", "a size from `1KiB` to `16MiB`"),
            ("--limit-parameters=0", "a whole number from 1 to 1000"),
            ("--limit-parameters=1KiB", "a whole number from 1 to 1000"),
            ("--timeout-head=99ms", "a duration from `100ms` to `10m`"),
            ("--timeout-head=10", "a duration from `100ms` to `10m`"),
        ] {
            let refused = parse(&[flag]).unwrap_err();
            assert!(refused.contains(rule), "{flag}: {refused}");
        }
    }
}
