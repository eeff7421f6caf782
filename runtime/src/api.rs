//! [`Api`], the builder with which a Rust program declares an HTTP interface: its title, resources,
//! hooks and custom routes.

mod auth;
mod build;
mod check;
mod cors;
mod error;
mod fact;
mod hsts;
mod jwt;
mod monitoring;
mod server;
mod sessions;
#[doc(hidden)]
pub mod v1;

use std::{
    any::{TypeId, type_name},
    fmt,
    sync::Arc,
    time::Duration,
};

use http::Method;

pub use self::{
    auth::Auth,
    cors::Cors,
    error::ApiError,
    fact::{Contact, License},
    hsts::Hsts,
    jwt::Jwt,
    sessions::Sessions,
};
use crate::{
    base::error::{Error, Kind},
    code::{
        custom::{DeclaredRoute, RouteRequest},
        hook::Hooks,
        resource::Resource,
    },
    http::answer::Answer,
    model::{
        LinkError, Model,
        def::{ApiDef, Case, Limits, ProxyFields, RateLimitDef, ResourceDef, TypeDef},
        field_type::FieldType,
    },
    service::Service,
    store::{Location, Store, StoreOptions, Synchronous, behaviour::ResourceHooks},
};

/// The builder of an HTTP interface. [`build`](Self::build) reports all errors of the declaration
/// at once.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Api;
/// let model = Api::new("City zoos").version("2.0.0").base_path("/api").build().unwrap();
/// assert_eq!((model.api.title, model.api.base_path), ("City zoos", "/api"));
/// ```
#[must_use]
pub struct Api {
    title: String,
    version: Option<String>,
    description: Option<String>,
    contact: Option<Contact>,
    license: Option<License>,
    base_path: Option<String>,
    public_url: Option<String>,
    case: Case,
    trace: bool,
    early_hints: bool,
    query: bool,
    cors: Option<Cors>,
    idempotency_keep: Option<Duration>,
    trusted_proxies: Vec<String>,
    proxy_fields: ProxyFields,
    hsts: Option<Hsts>,
    limits: Limits,
    metrics: Option<bool>,
    server_timing: Option<bool>,
    hosts: Vec<String>,
    rate_limit: RateLimitDef,
    auth: Option<Auth>,
    settings: Settings,
    extensions: Vec<(String, String)>,
    types: Vec<&'static TypeDef>,
    resources: Vec<&'static ResourceDef>,
    /// The full path of the Rust type of each resource.
    type_names: Vec<&'static str>,
    /// Pairs of the name of a resource, and the declaration of a resource that one of its fields
    /// refers to.
    neighbours: Vec<(&'static str, &'static ResourceDef)>,
    used_types: Vec<&'static TypeDef>,
    hooks: Vec<HookAttachment>,
    routes: Vec<DeclaredRoute>,
    kinds: Vec<Kind>,
}

/// The hooks that [`Api::hooks`] adds to one resource.
struct HookAttachment {
    of: TypeId,
    resource: &'static ResourceDef,
    hooks: Box<dyn ResourceHooks>,
}

/// The settings of the server that a program declares with its interface. Clients do not see these
/// settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The address to listen on, such as `127.0.0.1:8080` or `unix:/run/nouns.sock`.
    pub listen: Option<String>,
    /// The time that a stopping server still serves while `/-/ready` is 503.
    pub drain_delay: Duration,
    /// A second address to listen on, where connections do not use TLS.
    pub listen_plain: Option<String>,
    /// The files for TLS.
    pub tls: Option<TlsFiles>,
    /// The database file.
    pub database: Option<String>,
    /// Whether a write is on the disk before the server sends its response.
    pub synchronous: Synchronous,
    /// The address of the admin listener, such as `127.0.0.1:9090`.
    pub admin_listen: Option<String>,
    /// The directory whose files replace those of the web pages.
    pub templates: Option<String>,
}

/// The PEM files for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The file with the certificate, and those that have signed it.
    pub certificate: String,
    /// The file with the key of the certificate.
    pub key: String,
}

impl Api {
    /// Creates a builder of an interface that has this title and no resources.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            version: None,
            description: None,
            contact: None,
            license: None,
            base_path: None,
            public_url: None,
            case: Case::Snake,
            trace: false,
            early_hints: false,
            query: false,
            cors: None,
            idempotency_keep: None,
            trusted_proxies: vec![],
            proxy_fields: ProxyFields::default(),
            hsts: None,
            limits: Limits::DEFAULT,
            metrics: None,
            server_timing: None,
            hosts: vec![],
            rate_limit: RateLimitDef::NONE,
            auth: None,
            settings: Settings::default(),
            extensions: vec![],
            types: vec![],
            resources: vec![],
            type_names: vec![],
            neighbours: vec![],
            used_types: vec![],
            hooks: vec![],
            routes: vec![],
            kinds: vec![],
        }
    }

    /// Sets the accounts of the interface. From then on, a resource without access rules is for
    /// callers who are signed in.
    pub fn auth(mut self, auth: Auth) -> Self {
        self.auth = Some(auth);
        self
    }

    /// Sets the version of the interface; the default is 1.0.0.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the description of the interface.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the contact for questions about the interface.
    pub fn contact(mut self, contact: Contact) -> Self {
        self.contact = Some(contact);
        self
    }

    /// Sets the licence of the interface.
    pub fn license(mut self, license: License) -> Self {
        self.license = Some(license);
        self
    }

    /// Sets the prefix of the paths of all URLs; the default is `/`.
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = Some(path.into());
        self
    }

    /// Sets the base URL that clients use, if a proxy makes this URL differ from the server's own.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Sets how field names are spelled in URLs and JSON, such as `snake_case` or `camelCase`.
    pub fn case(mut self, case: Case) -> Self {
        self.case = case;
        self
    }

    /// Adds an extension: a key that begins with `x-`, and its value as JSON text.
    pub fn extension(mut self, name: impl Into<String>, json: impl Into<String>) -> Self {
        self.extensions.push((name.into(), json.into()));
        self
    }

    /// Adds a custom field type, which the generated descriptions of the interface then contain.
    pub fn field_type<T: FieldType>(mut self) -> Self {
        self.types.push(T::DEF);
        self
    }

    /// Adds a resource to the interface.
    pub fn resource<R: Resource>(mut self) -> Self {
        self.resources.push(R::DEF);
        self.type_names.push(type_name::<R>());
        self.neighbours.extend(R::NEIGHBOURS.iter().map(|neighbour| (R::NAME, *neighbour)));
        self.used_types.extend(R::TYPES);
        self
    }

    /// Adds hooks to a resource. A second call for the same resource adds to the hooks of the first
    /// call.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Error, Kind};
    /// # use nouns::Resource;
    /// # fn api<Zoo: Resource>() -> Api {
    /// Api::new("City zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
    ///     hooks.within_delete(|_, _| Err(Error::new(Kind::STILL_REFERENCED, "No zoo is ever closed.")))
    /// })
    /// # }
    /// ```
    pub fn hooks<R: Resource>(mut self, add: impl FnOnce(Hooks<R>) -> Hooks<R>) -> Self {
        let of = TypeId::of::<R>();
        let earlier = self
            .hooks
            .iter()
            .position(|earlier| earlier.of == of)
            .map(|at| self.hooks.remove(at).hooks);
        let earlier =
            earlier.and_then(|hooks| (hooks as Box<dyn std::any::Any>).downcast::<Hooks<R>>().ok());
        let hooks = add(earlier.map(|hooks| *hooks).unwrap_or_default());
        self.hooks.push(HookAttachment { of, resource: R::DEF, hooks: Box::new(hooks) });
        self
    }

    /// Adds a custom route below the base path, in addition to the generated routes.
    ///
    /// A segment in braces, such as `{zoo}`, matches any text. If it stands for the id of a member,
    /// its name must be the name of the member's resource, also with `_id`: `{zoo}` or `{zoo_id}`.
    /// [`RouteRequest::member`] then checks that this member exists.
    ///
    /// ```
    /// # mod nouns { pub use http; pub use nouns_runtime::*; }
    /// use nouns::{Answer, Api, RouteRequest, http::{Method, StatusCode}};
    /// # use nouns::Resource;
    /// # fn api<Zoo: Resource>() -> Api {
    /// Api::new("City zoos").resource::<Zoo>().route(
    ///     Method::POST,
    ///     "/zoos/{zoo}/openings",
    ///     |request: RouteRequest| async move {
    ///         let zoo = request.member::<Zoo>().await?;
    ///         Answer::json(StatusCode::CREATED, &zoo.revision)
    ///     },
    /// )
    /// # }
    /// ```
    pub fn route<F, Fut, A>(mut self, method: Method, path: &str, handler: F) -> Self
    where
        F: Fn(RouteRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, Error>> + Send + 'static,
        A: Into<Answer>,
    {
        self.routes.push(DeclaredRoute::new(method, path, handler));
        self
    }

    /// Adds a custom kind of problem (RFC 9457). The server then has a page about it under
    /// `/-/problems/`.
    pub fn problem(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// The declaration as static data. Builders with equal declarations return the same reference.
    #[must_use]
    pub fn def(&self) -> &'static ApiDef {
        build::def(self)
    }

    /// Builds the interface and opens its database. It calls [`build`](Self::build),
    /// [`Store::open`] and [`Service::new`].
    ///
    /// Additive differences between the declaration and the database are applied and logged. For
    /// other options, make these three calls yourself.
    ///
    /// ```no_run
    /// # use nouns_runtime as nouns;
    /// use nouns::Api;
    /// let service = Api::new("City zoos").open("zoo.db")?;
    /// nouns::serve(service, "127.0.0.1:8080")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All errors in the declaration, or the reason why the database is not opened.
    pub fn open(self, database: impl Into<Location>) -> Result<Service, ApiError> {
        let synchronous = self.settings.synchronous;
        let model = self.build()?;
        let options = StoreOptions::new(database).synchronous(synchronous);
        let (store, applied) = Store::open(&model, &options)?;
        for difference in applied {
            tracing::info!(target: "nouns", "applied to the database: {}", difference.description);
        }
        Ok(Service::new(store))
    }

    /// Builds the model: links the resources, and attaches the hooks and custom routes.
    ///
    /// # Errors
    /// All errors of the declaration, each with its diagnostic code and message.
    pub fn build(self) -> Result<Arc<Model>, LinkError> {
        build::model(self)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Api({})", self.title)
    }
}
