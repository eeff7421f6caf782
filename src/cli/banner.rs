//! The banner of `nouns serve`: the address, and a curl command to try.

use std::path::Path;

use nouns_runtime::{
    Model,
    def::Operation,
    model::ResourceModel,
    route::collections,
    server::{ListenAddress, RunningServer},
    store::Location,
};

use super::sample;

pub(super) fn banner(
    model: &Model,
    file: &Path,
    database: &Location,
    running: &RunningServer,
    fingerprint: Option<String>,
) -> String {
    let (title, version) = (model.api.title, model.api.version);
    let count = model.resources().len();
    let noun = if count == 1 { "resource" } else { "resources" };
    let place = Place::of(running, fingerprint.is_some());
    let certificate = fingerprint.map_or_else(String::new, |fingerprint| {
        format!("\n  The certificate is for development, and self-signed. Its SHA-256 is\n  {fingerprint}\n")
    });
    let url = &place.url;
    let attempt = first_line(model, &place);
    let access = access(model, file);
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
         Ctrl-C stops.\n\n",
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
    fn of(running: &RunningServer, is_self_signed: bool) -> Self {
        let scheme = if running.is_encrypted() { "https" } else { "http" };
        match running.address() {
            ListenAddress::Tcp(address) => {
                let curl = if is_self_signed { "curl -k" } else { "curl" };
                Self { url: format!("{scheme}://{address}"), curl: curl.to_owned() }
            }
            ListenAddress::Unix(path) => Self {
                url: "http://localhost".to_owned(),
                curl: format!("curl --unix-socket {}", path.display()),
            },
        }
    }
}

/// Who has access, in a sentence.
fn access(model: &Model, file: &Path) -> String {
    match &model.accounts {
        None => "Every client that can reach this address has full access, because the schema has no `auth`.".to_owned(),
        Some(_) => format!(
            "Callers sign in with an account. `nouns account add {} LOGIN` adds the first one.",
            file.display()
        ),
    }
}

/// A curl command that succeeds on an empty database. With accounts, it succeeds once there is one.
fn first_line(model: &Model, Place { url, curl }: &Place) -> String {
    let served =
        |resource: &&ResourceModel| resource.parent.is_none() && resource.def.moved_to.is_none();
    let top = || model.resources().iter().filter(served);
    let creatable = top().filter(|resource| resource.def.methods.contains(Operation::Create));
    let body = creatable.filter_map(|resource| Some((resource, sample::body(resource)?))).next();
    let listed = top().find(|resource| resource.def.methods.contains(Operation::List));
    let path = |resource| model.urls.local(&collections(model, resource)[0]);
    if let (Some(resource), Some(_)) = (listed, &model.accounts) {
        return format!("{curl} -u LOGIN {url}{}", path(resource));
    }
    match (body, listed) {
        (Some((resource, body)), _) => format!("{curl} --json '{body}' {url}{}", path(resource)),
        (None, Some(resource)) => format!("{curl} {url}{}", path(resource)),
        (None, None) => format!("{curl} {url}{}", model.urls.local("/")),
    }
}
