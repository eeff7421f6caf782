//! The banner of `nouns serve`: the address, and a curl command to try.

use std::path::Path;

use http::Method;
use nouns_runtime::{
    Caller, Model, access,
    def::Operation,
    model::{Chain, ResourceModel},
    route::{Target, collections},
    server::{ListenAddress, RunningServer},
};

use super::{sample, shell};

pub(super) fn banner(
    model: &Model,
    file: &Path,
    database: &str,
    running: &RunningServer,
    fingerprint: Option<String>,
    is_watched: bool,
) -> String {
    let (title, version) = (model.api.title, model.api.version);
    let count = model.resources().len();
    let noun = if count == 1 { "resource" } else { "resources" };
    let place = Place::of(model, running, fingerprint.is_some());
    let certificate = fingerprint.map_or_else(String::new, |fingerprint| {
        format!("\n  The certificate is for development, and self-signed. Its SHA-256 is\n  {fingerprint}\n")
    });
    let url = &place.url;
    let attempt = first_line(model, &place);
    let access = who_has_access(model, file);
    let watched = match is_watched {
        true => format!("{} is reloaded when it changes.\n  ", file.display()),
        false => String::new(),
    };
    let other = |name: &str, address: Option<&ListenAddress>, path: &str| {
        let url = |address: &ListenAddress| match address {
            ListenAddress::Tcp(address) => format!("http://{address}{}", model.urls.local(path)),
            ListenAddress::Unix(_) => address.to_string(),
        };
        address.map_or_else(String::new, |one| format!("{name}:  {}\n\n  ", url(one)))
    };
    let plain = other("Without TLS", running.plain_address(), "/");
    let admin = other("Metrics", running.admin_address(), "/-/metrics");
    format!(
        "\n  {title} {version}\n  {count} {noun} from {}, stored in {}\n\n  {url}{}\n\n  Try:  {attempt}\n{certificate}\n  \
         {plain}{admin}{access}\n  \
         {watched}Ctrl-C stops.\n\n",
        file.display(),
        database,
        model.urls.local("/"),
    )
}

/// Where clients find the server.
struct Place {
    /// The URL without a path.
    url: String,
    /// The command by which curl finds it.
    curl: String,
}

impl Place {
    fn of(model: &Model, running: &RunningServer, is_self_signed: bool) -> Self {
        let scheme = if running.is_encrypted() { "https" } else { "http" };
        let mut curl = String::from(if is_self_signed { "curl -k" } else { "curl" });
        let (url, host) = match running.address() {
            ListenAddress::Tcp(address) => {
                (format!("{scheme}://{address}"), address.ip().to_string())
            }
            ListenAddress::Unix(path) => {
                curl += &format!(" --unix-socket {}", shell::word(&path.display().to_string()));
                ("http://localhost".to_owned(), "localhost".to_owned())
            }
        };
        if let Some(host) = served_host(model.api.server.hosts, &host) {
            curl += &format!(" -H 'Host: {host}'");
        }
        Self { url, curl }
    }

    /// A URL of this server, as a word of a shell.
    fn url(&self, path: &str) -> String {
        shell::word(&format!("{}{path}", self.url))
    }
}

/// A declared host that is served, if the host of the URL is not.
fn served_host(declared: &[&str], host: &str) -> Option<String> {
    let is_served = |known: &&str| *known == "*" || known.eq_ignore_ascii_case(host);
    let first = declared.first().filter(|_| !declared.iter().any(is_served))?;
    Some(first.strip_prefix("*.").map_or((*first).to_owned(), |domain| format!("www.{domain}")))
}

/// Who has access, in a sentence.
fn who_has_access(model: &Model, file: &Path) -> String {
    match &model.accounts {
        None => "Every client that can reach this address has full access, because the schema has no `auth`.".to_owned(),
        Some(_) => format!(
            "Callers sign in with an account. `nouns account add {} LOGIN` adds the first one.",
            shell::word(&file.display().to_string())
        ),
    }
}

/// A curl command that succeeds on an empty database, and creates a member if one needs no other.
/// With accounts, it lists a collection that everybody may read, or succeeds once there is one.
fn first_line(model: &Model, place: &Place) -> String {
    let served =
        |resource: &&ResourceModel| resource.parent.is_none() && resource.def.moved_to.is_none();
    let top = || model.resources().iter().filter(served);
    let offers =
        |operation| move |resource: &&ResourceModel| resource.def.methods.contains(operation);
    let curl = &place.curl;
    let url =
        |resource: &ResourceModel| place.url(&model.urls.local(&collections(model, resource)[0]));
    let listed = top().find(offers(Operation::List));
    if let (Some(first), Some(_)) = (listed, &model.accounts) {
        let mut all = top().filter(offers(Operation::List));
        return match all.find(|resource| is_public(model, resource)) {
            Some(public) => format!("{curl} {}", url(public)),
            None => format!("{curl} -u LOGIN {}", url(first)),
        };
    }
    let creatable = top().filter(offers(Operation::Create));
    let body = creatable.filter_map(|resource| Some((resource, sample::body(resource)?))).next();
    match (body, listed) {
        (Some((resource, body)), _) => format!("{curl} --json '{body}' {}", url(resource)),
        (None, Some(resource)) => format!("{curl} {}", url(resource)),
        (None, None) => format!("{curl} {}", place.url(&model.urls.local("/"))),
    }
}

/// Whether anonymous callers may list a collection without a parent.
fn is_public(model: &Model, resource: &ResourceModel) -> bool {
    let chain = Chain { resource: resource.ix, ids: vec![] };
    access::admit(model, Target::Collection(chain), &Caller::Anonymous, &Method::GET).is_ok()
}
