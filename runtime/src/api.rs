//! An interface as a Rust program declares it: what it is called, its resources, and the behaviour
//! of the author's own.

mod build;
mod check;
mod cors;
mod error;
mod fact;
#[doc(hidden)]
pub mod v1;

use std::{any::TypeId, fmt, sync::Arc, time::Duration};

use http::Method;

pub use self::{
    cors::Cors,
    error::ApiError,
    fact::{Contact, License},
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
        def::{ApiDef, Case, ResourceDef, TypeDef},
        field_type::FieldType,
    },
    service::Service,
    store::{Location, Store, StoreOptions, Synchronous, behaviour::ResourceHooks},
};

/// An interface in the making; [`build`](Self::build) says everything that is wrong with it at
/// once.
///
/// ```
/// use nouns_runtime::api::Api;
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
    query: bool,
    cors: Option<Cors>,
    idempotency_keep: Option<Duration>,
    settings: Settings,
    extensions: Vec<(String, String)>,
    types: Vec<&'static TypeDef>,
    resources: Vec<&'static ResourceDef>,
    /// What each resource takes the resources for that it points at.
    neighbours: Vec<(&'static str, &'static ResourceDef)>,
    used_types: Vec<&'static TypeDef>,
    hooks: Vec<HookAttachment>,
    routes: Vec<DeclaredRoute>,
    kinds: Vec<Kind>,
}

/// What was attached to a resource.
struct HookAttachment {
    of: TypeId,
    resource: &'static ResourceDef,
    hooks: Box<dyn ResourceHooks>,
}

/// What was declared of the program that serves an interface; it does not show in the interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The address to listen on: `127.0.0.1:8080`.
    pub listen: Option<String>,
    /// The file of the database.
    pub database: Option<String>,
    /// When a write is answered.
    pub synchronous: Synchronous,
}

impl Api {
    /// An interface with this title and nothing in it.
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
            query: false,
            cors: None,
            idempotency_keep: None,
            settings: Settings::default(),
            extensions: vec![],
            types: vec![],
            resources: vec![],
            neighbours: vec![],
            used_types: vec![],
            hooks: vec![],
            routes: vec![],
            kinds: vec![],
        }
    }

    /// The version of the interface, as its authors count it; 1.0.0 where nobody says.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// A longer text about it.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Whom to ask about it.
    pub fn contact(mut self, contact: Contact) -> Self {
        self.contact = Some(contact);
        self
    }

    /// Under which licence it may be used.
    pub fn license(mut self, license: License) -> Self {
        self.license = Some(license);
        self
    }

    /// The path below which everything is served; `/` where nobody says.
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = Some(path.into());
        self
    }

    /// The URL that clients use, where a proxy makes it differ from ours.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// How the names of fields are spelled on the wire.
    pub fn case(mut self, case: Case) -> Self {
        self.case = case;
        self
    }

    /// Whether TRACE is answered; it is not where nobody says.
    pub fn trace(mut self, answered: bool) -> Self {
        self.trace = answered;
        self
    }

    /// Whether QUERY is answered; it is not where nobody says.
    pub fn query(mut self, answered: bool) -> Self {
        self.query = answered;
        self
    }

    /// Which other origins may use the interface from a browser; none where nobody says.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// How long the answer to an `Idempotency-Key` is kept, in whole seconds; a day where nobody
    /// says.
    pub fn idempotency_keep(mut self, keep: Duration) -> Self {
        self.idempotency_keep = Some(keep);
        self
    }

    /// The address to listen on, for [`settings`](Self::settings).
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.settings.listen = Some(address.into());
        self
    }

    /// The file of the database, for [`settings`](Self::settings).
    pub fn database(mut self, file: impl Into<String>) -> Self {
        self.settings.database = Some(file.into());
        self
    }

    /// When a write is answered, for [`settings`](Self::settings).
    pub fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.settings.synchronous = synchronous;
        self
    }

    /// An `x-…` key with its value as JSON text.
    pub fn extension(mut self, name: impl Into<String>, json: impl Into<String>) -> Self {
        self.extensions.push((name.into(), json.into()));
        self
    }

    /// A field type of the author's own, which documents then name.
    pub fn field_type<T: FieldType>(mut self) -> Self {
        self.types.push(T::DEF);
        self
    }

    /// A resource.
    pub fn resource<R: Resource>(mut self) -> Self {
        self.resources.push(R::DEF);
        self.neighbours.extend(R::NEIGHBOURS.iter().map(|neighbour| (R::NAME, *neighbour)));
        self.used_types.extend(R::TYPES);
        self
    }

    /// The hooks of a resource; several calls add to each other.
    ///
    /// ```
    /// # use nouns_runtime::{Error, Resource, api::Api, error::Kind};
    /// # fn api<Zoo: Resource>() -> Api {
    /// Api::new("City zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
    ///     hooks.within_delete(|_, _| Err(Error::new(Kind::STILL_REFERENCED, "No zoo is ever closed.")))
    /// })
    /// # }
    /// ```
    pub fn hooks<R: Resource>(mut self, add: impl FnOnce(Hooks<R>) -> Hooks<R>) -> Self {
        let of = TypeId::of::<R>();
        let known = self
            .hooks
            .iter()
            .position(|known| known.of == of)
            .map(|at| self.hooks.remove(at).hooks);
        let known =
            known.and_then(|hooks| (hooks as Box<dyn std::any::Any>).downcast::<Hooks<R>>().ok());
        let hooks = add(known.map(|hooks| *hooks).unwrap_or_default());
        self.hooks.push(HookAttachment { of, resource: R::DEF, hooks: Box::new(hooks) });
        self
    }

    /// A route of the author's own, beside the generated ones and below the same base path.
    ///
    /// A segment in braces stands for any text. After the canonical path of a collection it has the
    /// name of the resource, and the request [proves](RouteRequest::member) the member.
    ///
    /// ```
    /// # use http::{Method, StatusCode};
    /// # use nouns_runtime::{Resource, api::Api, custom::{Answer, RouteRequest}};
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

    /// A kind of problem of the author's own, which then has a page under `/-/problems/`.
    pub fn problem(mut self, kind: Kind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// What was declared of the program that serves the interface.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The declaration as data; equal declarations are one.
    #[must_use]
    pub fn def(&self) -> &'static ApiDef {
        build::def(self)
    }

    /// Builds the interface and opens its database: [`build`](Self::build), [`Store::open`] and
    /// [`Service::new`] in one.
    ///
    /// Additive differences between the declaration and the database are applied, and logged. For
    /// anything else take the three calls.
    ///
    /// ```no_run
    /// # use nouns_runtime::Api;
    /// let service = Api::new("City zoos").open("zoo.db")?;
    /// nouns_runtime::serve(service, "127.0.0.1:8080")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the declaration, or why the database is not opened.
    pub fn open(self, database: impl Into<Location>) -> Result<Service, ApiError> {
        let synchronous = self.settings.synchronous;
        let model = self.build()?;
        let options = StoreOptions { synchronous, apply: true, ..StoreOptions::new(database) };
        let (store, applied) = Store::open(&model, &options)?;
        for difference in applied {
            tracing::info!(target: "nouns", "applied to the database: {}", difference.description);
        }
        Ok(Service::new(store))
    }

    /// Links the resources, and attaches the behaviour.
    ///
    /// # Errors
    /// Everything that is wrong, each with the code and the sentence of the checker.
    pub fn build(self) -> Result<Arc<Model>, LinkError> {
        build::model(self)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Api({})", self.title)
    }
}
