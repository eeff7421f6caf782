//! The flags of `nouns serve` about HTTP. Each flag takes precedence over the schema.

use clap::{Args, builder::BoolishValueParser};
use nouns_codegen::schema::{self, Cors, HstsDef, duration};
use nouns_runtime::{
    def::{ProxyFields, RateDef},
    model::{LinkError, LinkProblem, Problem, Subject},
};

use crate::cli::Failure;

#[derive(Args, Clone, Debug)]
pub(super) struct Http {
    /// Whether TRACE is supported [default: the value in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_TRACE", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    trace: Option<bool>,
    /// Whether QUERY is supported [default: the value in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_QUERY", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    query: Option<bool>,
    /// Whether clients of HTTP/2 that accept no server push get 103 Early Hints [default: the value
    /// in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_EARLY_HINTS", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    early_hints: Option<bool>,
    /// An origin that may use the API from a browser, or `*` for any; repeatable [default: the
    /// values in the schema].
    #[arg(long, value_name = "ORIGIN", env = "NOUNS_CORS_ORIGIN", value_delimiter = ',')]
    cors_origin: Vec<String>,
    /// Whether requests from the origins of --cors-origin may carry credentials, such as cookies
    /// [default: the value in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_CORS_CREDENTIALS", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    cors_credentials: Option<bool>,
    /// A request header field that is allowed from other origins; repeatable [default: the values
    /// in the schema].
    #[arg(long, value_name = "NAME", env = "NOUNS_CORS_HEADER", value_delimiter = ',')]
    cors_header: Vec<String>,
    /// How long a browser may cache a preflight response [default: the value in the schema, or
    /// 10m].
    #[arg(long, value_name = "DURATION", env = "NOUNS_CORS_MAX_AGE", value_parser = seconds)]
    cors_max_age: Option<u32>,
    /// How long the response for an `Idempotency-Key` is stored [default: the value in the schema,
    /// or 24h].
    #[arg(long, value_name = "DURATION", env = "NOUNS_IDEMPOTENCY_KEEP", value_parser = some_seconds)]
    idempotency_keep: Option<u32>,
    /// A proxy whose fields name the client, as an IP address or a range like 10.0.0.0/8;
    /// repeatable [default: the values in the schema].
    #[arg(long, value_name = "ADDRESS", env = "NOUNS_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Vec<String>,
    /// The fields that the trusted proxies set: x_forwarded or forwarded [default: the value in the
    /// schema, or x_forwarded].
    #[arg(long, value_name = "FIELDS", env = "NOUNS_PROXY_FIELDS", value_parser = proxy_fields)]
    proxy_fields: Option<ProxyFields>,
    /// Whether `/-/metrics` is served [default: the value in the schema, or only to clients on this
    /// machine].
    #[arg(long, value_name = "BOOL", env = "NOUNS_METRICS", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    metrics: Option<bool>,
    /// Whether clients may ask for `Server-Timing` [default: the value in the schema, or only
    /// clients on this machine].
    #[arg(long, value_name = "BOOL", env = "NOUNS_SERVER_TIMING", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    server_timing: Option<bool>,
    /// A host that is served, such as zoo.example.org or *.example.org, or `*` for any; others get
    /// 421; repeatable [default: the values in the schema, or on a loopback address localhost and
    /// addresses].
    #[arg(long, value_name = "HOST", env = "NOUNS_HOST", value_delimiter = ',')]
    host: Vec<String>,
    /// How many requests a client may send, such as 600/1m [default: the value in the schema, or no
    /// limit].
    #[arg(long, value_name = "RATE", env = "NOUNS_RATE_LIMIT_CLIENT", value_parser = rate)]
    rate_limit_client: Option<RateDef>,
    /// How many requests an account may send, such as 6000/1m [default: the value in the schema, or
    /// that of clients].
    #[arg(long, value_name = "RATE", env = "NOUNS_RATE_LIMIT_ACCOUNT", value_parser = rate)]
    rate_limit_account: Option<RateDef>,
    /// How long browsers use TLS alone for this host [default: the value in the schema, or not at
    /// all].
    #[arg(long, value_name = "DURATION", env = "NOUNS_HSTS", value_parser = seconds)]
    hsts: Option<u32>,
    /// Whether that holds for all subdomains, too [default: the value in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_HSTS_INCLUDE_SUBDOMAINS", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    hsts_include_subdomains: Option<bool>,
    /// Whether browsers may be shipped with it [default: the value in the schema, or false].
    #[arg(long, value_name = "BOOL", env = "NOUNS_HSTS_PRELOAD", value_parser = BoolishValueParser::new())]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    hsts_preload: Option<bool>,
}

impl Http {
    /// Replaces settings of the schema by the values of the flags. The values are checked later,
    /// when the model is linked.
    pub(super) fn override_in(&self, server: &mut schema::Server) {
        server.trace = self.trace.unwrap_or(server.trace);
        server.query = self.query.unwrap_or(server.query);
        server.early_hints = self.early_hints.unwrap_or(server.early_hints);
        server.idempotency_keep_seconds =
            self.idempotency_keep.unwrap_or(server.idempotency_keep_seconds);
        server.metrics = self.metrics.or(server.metrics);
        server.server_timing = self.server_timing.or(server.server_timing);
        if !self.trusted_proxy.is_empty() {
            server.trusted_proxies.clone_from(&self.trusted_proxy);
        }
        server.proxy_fields = self.proxy_fields.unwrap_or(server.proxy_fields);
        if !self.host.is_empty() {
            server.hosts.clone_from(&self.host);
        }
        server.rate_limit.client = self.rate_limit_client.or(server.rate_limit.client);
        server.rate_limit.account = self.rate_limit_account.or(server.rate_limit.account);
        server.hsts = self.hsts(server.hsts);
        if let Some(cors) = self.cors(server.cors.take()) {
            server.cors = Some(cors);
        }
    }

    /// The message about a model that cannot be linked. A problem with the value of a flag names
    /// the flag.
    pub(super) fn failure(&self, error: &LinkError) -> Failure {
        let line = |problem: &LinkProblem| match self.by_flag(problem) {
            Some(problem) => format!("error: {problem}\n"),
            None => format!("{problem}\n"),
        };
        Failure(error.0.iter().map(line).collect())
    }

    /// The same problem with the name of the flag in place of the key. `None` if no flag caused the
    /// problem.
    fn by_flag(&self, problem: &LinkProblem) -> Option<Problem> {
        let flag = |key: &str| match key {
            "origins" if !self.cors_origin.is_empty() => Some("--cors-origin".to_owned()),
            "headers" if !self.cors_header.is_empty() => Some("--cors-header".to_owned()),
            "hosts" if !self.host.is_empty() => Some("--host".to_owned()),
            "trusted_proxies" if !self.trusted_proxy.is_empty() => {
                Some("--trusted-proxy".to_owned())
            }
            _ => None,
        };
        if problem.subject != Subject::Interface {
            return None;
        }
        match problem.problem.clone() {
            Problem::BadText { key, text, rule } => {
                Some(Problem::BadText { key: flag(&key)?, text, rule })
            }
            Problem::Repeated { key, item } => Some(Problem::Repeated { key: flag(&key)?, item }),
            _ => None,
        }
    }

    /// The promise to use TLS alone. Without a duration there is none.
    fn hsts(&self, declared: Option<HstsDef>) -> Option<HstsDef> {
        let none = HstsDef { max_age_seconds: 0, include_subdomains: false, preload: false };
        let max_age = self.hsts.or(declared.map(|hsts| hsts.max_age_seconds))?;
        let HstsDef { include_subdomains, preload, .. } = declared.unwrap_or(none);
        Some(HstsDef {
            max_age_seconds: max_age,
            include_subdomains: self.hsts_include_subdomains.unwrap_or(include_subdomains),
            preload: self.hsts_preload.unwrap_or(preload),
        })
    }

    fn cors(&self, declared: Option<Cors>) -> Option<Cors> {
        let is_set = !self.cors_origin.is_empty()
            || !self.cors_header.is_empty()
            || self.cors_credentials.is_some()
            || self.cors_max_age.is_some();
        let mut cors = match declared {
            Some(declared) => declared,
            None if is_set => Cors::of(vec![]),
            None => return None,
        };
        if !self.cors_origin.is_empty() {
            cors.origins.clone_from(&self.cors_origin);
        }
        if !self.cors_header.is_empty() {
            cors.headers.clone_from(&self.cors_header);
        }
        cors.credentials = self.cors_credentials.unwrap_or(cors.credentials);
        cors.max_age_seconds = self.cors_max_age.unwrap_or(cors.max_age_seconds);
        Some(cors)
    }
}

fn proxy_fields(text: &str) -> Result<ProxyFields, String> {
    let known = ProxyFields::WORDS.iter().find(|(word, _)| *word == text);
    known.map(|(_, fields)| *fields).ok_or_else(|| "it must be `x_forwarded` or `forwarded`".into())
}

fn rate(text: &str) -> Result<RateDef, String> {
    schema::rate(text).ok_or_else(|| format!("it must be {}", schema::RATE.says))
}

pub(super) fn seconds(text: &str) -> Result<u32, String> {
    duration::seconds(text).map_err(|rule| format!("it must be {rule}"))
}

fn some_seconds(text: &str) -> Result<u32, String> {
    match seconds(text)? {
        0 => Err("it must be a duration of at least one second".into()),
        seconds => Ok(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Program {
        #[command(flatten)]
        http: Http,
        file: Option<String>,
    }

    fn server(flags: &[&str], declared: &str) -> schema::Server {
        let text =
            format!("nouns: 1\nserver: {{ {declared} }}\nresources: {{ zoo: {{ fields: {{}} }} }}");
        let mut server = nouns_codegen::read_yaml("zoo.yaml", &text).unwrap().server;
        let program = <Program as clap::Parser>::parse_from(["nouns"].iter().chain(flags));
        program.http.override_in(&mut server);
        assert_eq!(program.file.is_some(), flags.contains(&"zoo.yaml"));
        server
    }

    #[test]
    fn a_flag_goes_before_the_schema() {
        assert!(!server(&[], "").trace && server(&[], "trace: true").trace);
        assert!(server(&["--trace", "zoo.yaml"], "").trace);
        assert!(!server(&["--trace=false", "--query=no"], "trace: true, query: true").trace);
        assert!(server(&["--early-hints"], "").early_hints);
        assert_eq!(server(&["--idempotency-keep", "90m"], "").idempotency_keep_seconds, 5400);
        assert_eq!(server(&[], "idempotency: { keep: 2d }").idempotency_keep_seconds, 172_800);
        let metrics = |flags: &[&str], declared| server(flags, declared).metrics;
        assert_eq!(metrics(&[], ""), None);
        assert_eq!(metrics(&["--metrics"], "metrics: false"), Some(true));
        assert_eq!(metrics(&["--metrics=0"], ""), Some(false));
        assert_eq!(server(&["--server-timing"], "").server_timing, Some(true));
        let fields = |flags: &[&str], declared| server(flags, declared).proxy_fields.word();
        assert_eq!(fields(&[], ""), "x_forwarded");
        assert_eq!(fields(&["--proxy-fields", "forwarded"], ""), "forwarded");
        let declared = "proxy_fields: forwarded";
        assert_eq!(fields(&["--proxy-fields", "x_forwarded"], declared), "x_forwarded");
        assert_eq!(server(&[], "server_timing: false").server_timing, Some(false));
        let declared = "trusted_proxies: [\"::1\"]";
        assert_eq!(server(&[], declared).trusted_proxies, ["::1"]);
        let flag = "--trusted-proxy=10.0.0.0/8,10.1.1.1";
        assert_eq!(server(&[flag], declared).trusted_proxies, ["10.0.0.0/8", "10.1.1.1"]);
        let hsts = |flags: &[&str], declared| {
            server(flags, declared).hsts.map(|hsts| (hsts.max_age_seconds, hsts.preload))
        };
        assert_eq!(hsts(&["--hsts-preload"], ""), None);
        assert_eq!(hsts(&["--hsts=2h", "--hsts-preload"], "hsts: 1h"), Some((7200, true)));
        assert_eq!(hsts(&[], "hsts: 1h"), Some((3600, false)));
    }

    #[test]
    fn flags_change_what_they_name_of_other_origins() {
        let declared = "cors: { origins: [\"https://a.example\"], credentials: true, max_age: 1h }";
        assert_eq!(server(&[], "").cors, None);
        assert_eq!(server(&["--cors-origin", "*"], "").cors, Some(Cors::of(vec!["*".into()])));
        let flags = [
            "--cors-origin",
            "https://b.example",
            "--cors-origin=https://c.example,https://d.example",
        ];
        let cors = server(&flags, declared).cors.unwrap();
        assert_eq!(cors.origins, ["https://b.example", "https://c.example", "https://d.example"]);
        assert!(cors.credentials && cors.max_age_seconds == 3600);
        let cors = server(
            &["--cors-credentials=0", "--cors-header", "X-A", "--cors-max-age=5s"],
            declared,
        );
        let cors = cors.cors.unwrap();
        assert_eq!(
            (cors.headers, cors.credentials, cors.max_age_seconds),
            (vec!["X-A".into()], false, 5)
        );
    }

    #[test]
    fn a_duration_that_is_none_is_refused() {
        let refused =
            |flag| <Program as clap::Parser>::try_parse_from(["nouns", flag]).err().unwrap();
        assert!(refused("--cors-max-age=1w").to_string().contains("it must be a duration like"));
        assert!(refused("--idempotency-keep=0s").to_string().contains("at least one second"));
    }
}
