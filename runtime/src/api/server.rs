//! The settings of the server that a program declares: methods, limits, proxies, and where it
//! listens.

use std::time::Duration;

use super::{Api, Cors, Hsts, Settings, TlsFiles, cors::seconds};
use crate::{
    model::def::{Limit, ProxyFields, RateDef, Timeout},
    store::Synchronous,
};

impl Api {
    /// Sets whether the server supports the method TRACE; by default it does not.
    pub fn trace(mut self, answered: bool) -> Self {
        self.trace = answered;
        self
    }

    /// Sets whether the server supports the method QUERY; by default it does not.
    pub fn query(mut self, answered: bool) -> Self {
        self.query = answered;
        self
    }

    /// Sets whether clients of HTTP/2 that accept no server push get 103 Early Hints for resources
    /// with `push`; by default they get none.
    pub fn early_hints(mut self, sent: bool) -> Self {
        self.early_hints = sent;
        self
    }

    /// Sets the CORS policy: the foreign origins that may use the interface from a browser. By
    /// default no foreign origin may.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// Sets how long the server stores the response to a request with `Idempotency-Key`. The
    /// duration must be whole seconds; the default is one day.
    pub fn idempotency_keep(mut self, keep: Duration) -> Self {
        self.idempotency_keep = Some(keep);
        self
    }

    /// Adds a trusted proxy: an IP address, a range such as `10.0.0.0/8`, or `unix` for those on a
    /// Unix socket. By default no proxy is trusted. The server reads the address of the
    /// [`Client`](crate::Client) from the [fields](Self::proxy_fields) that a trusted proxy sends.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Api;
    /// let model = Api::new("City zoos").trusted_proxy("::1").build().unwrap();
    /// assert_eq!(model.api.server.trusted_proxies, ["::1"]);
    /// ```
    pub fn trusted_proxy(mut self, addresses: impl Into<String>) -> Self {
        self.trusted_proxies.push(addresses.into());
        self
    }

    /// Sets which fields the trusted proxies set; the default is [`ProxyFields::XForwarded`]. The
    /// other kind is ignored, since a proxy may pass it on as the client wrote it.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, ProxyFields};
    /// let api = Api::new("City zoos").trusted_proxy("::1").proxy_fields(ProxyFields::Forwarded);
    /// assert_eq!(api.build().unwrap().api.server.proxy_fields.word(), "forwarded");
    /// ```
    pub fn proxy_fields(mut self, fields: ProxyFields) -> Self {
        self.proxy_fields = fields;
        self
    }

    /// Adds a host that is served: a name such as `zoo.example.org`, a domain such as
    /// `*.example.org` with all names in it, an address, or `*` for any. Requests for other hosts
    /// get 421 (RFC 9110 §15.5.20). Without hosts, the server of this crate serves any host, except
    /// that on a loopback address it serves `localhost` and addresses alone.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Api;
    /// let model = Api::new("City zoos").host("zoo.example.org").build().unwrap();
    /// assert_eq!(model.api.server.hosts, ["zoo.example.org"]);
    /// ```
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Limits the requests of a client, an address of IPv4 or a `/64` of IPv6, in a time of whole
    /// seconds; by default there is no limit. Further requests get 429 (RFC 6585 §4). Callers with
    /// an account have [a limit of their own](Self::account_rate), if there is one.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Api;
    /// use std::time::Duration;
    /// let minute = Duration::from_secs(60);
    /// let model = Api::new("City zoos").client_rate(600, minute).build().unwrap();
    /// assert_eq!(model.api.server.rate_limit.client.unwrap().requests, 600);
    /// ```
    pub fn client_rate(mut self, requests: u32, time: Duration) -> Self {
        self.rate_limit.client = Some(RateDef { requests, seconds: seconds(time) });
        self
    }

    /// Limits the requests of an account in a time of whole seconds, like
    /// [`client_rate`](Self::client_rate).
    pub fn account_rate(mut self, requests: u32, time: Duration) -> Self {
        self.rate_limit.account = Some(RateDef { requests, seconds: seconds(time) });
        self
    }

    /// Sets a limit. [`build`](Self::build) refuses a value outside of its range.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Limit};
    /// let model = Api::new("City zoos").limit(Limit::BodyBytes, 65_536).build().unwrap();
    /// assert_eq!(model.api.server.limits.get(Limit::BodyBytes), 65_536);
    /// ```
    pub fn limit(mut self, limit: Limit, value: u64) -> Self {
        self.limits = self.limits.with(limit, value);
        self
    }

    /// Sets a timeout, in whole milliseconds. [`build`](Self::build) refuses a value outside of its
    /// range.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Timeout};
    /// use std::time::Duration;
    /// let second = Duration::from_secs(1);
    /// let model = Api::new("City zoos").timeout(Timeout::Body, second).build().unwrap();
    /// assert_eq!(model.api.server.limits.timeout(Timeout::Body), second);
    /// ```
    pub fn timeout(mut self, timeout: Timeout, time: Duration) -> Self {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.limits = self.limits.with_timeout(timeout, millis);
        self
    }

    /// Sets how long browsers use TLS alone for this host (RFC 6797). It is sent in responses over
    /// TLS, also of a trusted proxy.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Hsts};
    /// let hsts = Hsts::new(std::time::Duration::from_secs(3600)).include_subdomains(true);
    /// let model = Api::new("City zoos").hsts(hsts).build().unwrap();
    /// assert_eq!(model.api.server.hsts.unwrap().max_age_seconds, 3600);
    /// ```
    pub fn hsts(mut self, hsts: Hsts) -> Self {
        self.hsts = Some(hsts);
        self
    }

    /// Sets the address to listen on, which [`settings`](Self::settings) then contains.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.settings.listen = Some(address.into());
        self
    }

    /// Sets how long a stopping server still serves while `/-/ready` is 503, in whole seconds. The
    /// default is zero. [`settings`](Self::settings) then contains it, for
    /// [`Server::drain_delay`](crate::server::Server::drain_delay).
    pub fn drain_delay(mut self, delay: Duration) -> Self {
        self.settings.drain_delay = delay;
        self
    }

    /// Sets a second address to listen on, where connections do not use TLS.
    /// [`settings`](Self::settings) then contains it.
    pub fn listen_plain(mut self, address: impl Into<String>) -> Self {
        self.settings.listen_plain = Some(address.into());
        self
    }

    /// Sets the PEM files with the certificate of the server and its key.
    /// [`settings`](Self::settings) then contains them.
    pub fn tls(mut self, certificate: impl Into<String>, key: impl Into<String>) -> Self {
        self.settings.tls = Some(TlsFiles { certificate: certificate.into(), key: key.into() });
        self
    }

    /// Sets the database file, which [`settings`](Self::settings) then contains.
    pub fn database(mut self, file: impl Into<String>) -> Self {
        self.settings.database = Some(file.into());
        self
    }

    /// Sets whether a write is on the disk before the server sends its response.
    /// [`settings`](Self::settings) then contains this choice.
    pub fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.settings.synchronous = synchronous;
        self
    }

    /// Sets the directory whose files replace those of the web pages. [`build`](Self::build)
    /// reads and checks the files. The [settings](Self::settings) then contain the directory.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::Api;
    /// let error = Api::new("City zoos").templates("nowhere").build().unwrap_err();
    /// assert!(error.to_string().starts_with("N099: nowhere: the directory cannot be read: "));
    /// ```
    pub fn templates(mut self, directory: impl Into<String>) -> Self {
        self.settings.templates = Some(directory.into());
        self
    }

    /// The settings of the server that this builder declares.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }
}
