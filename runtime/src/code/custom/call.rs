//! [`RouteRequest`]: a request for a custom route.

use std::ops::Deref;

use bytes::Bytes;
use http::header;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use tracing::Instrument as _;

use crate::{
    base::error::{Error, Fault, Kind, text},
    code::{
        resource::Resource,
        typed::{Member, Query},
    },
    http::answer::Answer,
    model::{Chain, Model, Placeholder, ResourceIx, id::Id, value::Value},
    perform::{CallSource, perform},
    plan::Outcome,
    reply::refused,
    request::{
        action::{Action, ActionKind, check_json},
        route,
    },
    store::{
        behaviour::{CustomRequest, Handles, UserFuture},
        context::{CalledRoute, Context},
        sink::{Sink, ValueSink},
    },
};

impl<F> Handles for F
where
    F: Fn(RouteRequest) -> UserFuture<'static, Answer> + Send + Sync,
{
    fn handle<'a>(
        &'a self,
        CustomRequest { store, caller, head, route, call }: CustomRequest<'a>,
    ) -> UserFuture<'a, Answer> {
        Box::pin(async move {
            let model = store.model();
            let members = members(model, &route.placeholders, &call.values)?;
            let ancestors =
                members.iter().map(|(ix, id)| (model[*ix].def.name, id.clone())).collect();
            let called = CalledRoute { path: &route.path, resource: None };
            let context = Context::new(store, caller.clone(), Some(head), called, ancestors);
            let span = context.span();
            let names = route.placeholders.iter().map(|placeholder| placeholder.name.clone());
            let parameters = names.zip(call.values.iter().cloned()).collect();
            let request = RouteRequest { context, parameters, members, body: call.body.clone() };
            self(request).instrument(span).await
        })
    }
}

/// Parses the ids of the members in a path, the outermost ancestor first.
fn members(
    model: &Model,
    placeholders: &[Placeholder],
    values: &[String],
) -> Result<Vec<(ResourceIx, Value)>, Error> {
    let named = placeholders.iter().zip(values);
    let named = named.filter_map(|(placeholder, value)| Some((placeholder.resource?, value)));
    named.map(|(resource, value)| Ok((resource, route::id(model, resource, value)?))).collect()
}

/// A request for a custom route. It derefs to its [`Context`].
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{Answer, Error, Resource, RouteRequest};
///
/// async fn touch<Zoo: Resource>(request: RouteRequest) -> Result<Answer, Error> {
///     let zoo = request.member::<Zoo>().await?;
///     Answer::member(&request, zoo)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct RouteRequest {
    context: Context,
    parameters: Vec<(String, String)>,
    members: Vec<(ResourceIx, Value)>,
    body: Bytes,
}

impl Deref for RouteRequest {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl RouteRequest {
    /// The context of the request. It is cheap to clone.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The percent-decoded path segment at the placeholder `name`.
    ///
    /// # Errors
    /// 500 if the route has no such placeholder.
    pub fn parameter(&self, name: &str) -> Result<&str, Error> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| no_placeholder(name))
    }

    /// The id of a member of `R` that the path contains. The member need not exist;
    /// [`member`](Self::member) checks that it does.
    ///
    /// # Errors
    /// 500 if the route has no placeholder of this resource.
    pub fn id<R: Resource>(&self) -> Result<Id<R>, Error> {
        self.parent::<R>().ok_or_else(|| no_placeholder(R::NAME))
    }

    /// Reads the member of `R` whose id the path contains. One statement checks that the member and
    /// all its ancestors in the path exist.
    ///
    /// # Errors
    /// 404 if the member or an ancestor does not exist; the problem names the first path segment
    /// that does not exist. 500 if the route has no placeholder of this resource.
    pub async fn member<R: Resource>(&self) -> Result<Member<R>, Error> {
        let model = self.store().model();
        let at = self.members.iter().position(|(ix, _)| model[*ix].def.name == R::NAME);
        let at = at.ok_or_else(|| no_placeholder(R::NAME))?;
        let (resource, id) = self.members[at].clone();
        let depth = model.ancestors(resource).count().min(at);
        let ids = self.members[at - depth..at].iter().map(|(_, id)| id.clone()).collect();
        let kind = ActionKind::Get { chain: Chain { resource, ids }, id };
        let mut action = Action::of(self.caller().clone(), kind);
        let sink = Sink::Values(ValueSink::new(resource));
        let result = perform(self.store(), &mut action, CallSource::Program, sink).await?;
        match (result.outcome, result.sink) {
            (Outcome::Refused(refusal), _) => Err(refused(model, &action, refusal)),
            (_, Sink::Values(values)) => {
                let row = values.into_rows().pop();
                let row = row.ok_or_else(|| Error::internal("the store returned no row"))?;
                Member::of_row(&model[resource], row)
            }
            _ => Err(Error::internal("the store returned no row")),
        }
    }

    /// The content of the request, of any media type. It is empty for GET and HEAD.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// Parses the query string as that of the collection of `R`: its filters, its order and its
    /// page. [`Answer::page`] sends the page that the query finds.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Answer, Error, Resource, RouteRequest};
    ///
    /// async fn search<R: Resource>(request: RouteRequest) -> Result<Answer, Error> {
    ///     let query = request.query_of::<R>()?.limit(20);
    ///     let page = request.store().of::<R>().list(&query).await?;
    ///     Answer::page(&request, page)
    /// }
    /// ```
    ///
    /// # Errors
    /// 400 with all parameters that are unknown, repeated, of the wrong type or out of range.
    pub fn query_of<R: Resource>(&self) -> Result<Query<R>, Error> {
        self.store().of::<R>().query(self.query().unwrap_or_default())
    }

    /// Parses the query string as a value of `T`. A field of a list type takes all parameters of
    /// its name.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, RouteRequest};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Period {
    ///     from: String,
    ///     to: Option<String>,
    /// }
    ///
    /// fn period(request: &RouteRequest) -> Result<Period, Error> {
    ///     request.query_as()
    /// }
    /// ```
    ///
    /// # Errors
    /// 400 if the query string does not fit `T`. The fault names the parameter.
    pub fn query_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self.query().unwrap_or_default().as_bytes();
        let deserializer = serde_html_form::Deserializer::from_bytes(text);
        serde_path_to_error::deserialize(deserializer).map_err(|error| {
            let name = error.path().iter().next().map(ToString::to_string).unwrap_or_default();
            let reason = error.into_inner().to_string();
            let detail = match &*name {
                "" | "?" => {
                    text!("The query does not have the expected form: {error}.", error = reason)
                }
                name => text!(
                    "`{name}` does not have the expected form: {error}.",
                    name,
                    error = reason
                ),
            };
            let name = if name == "?" { String::new() } else { name };
            Error::from_faults(
                Kind::INVALID_PARAMETER,
                vec![Fault::parameter(name, "type", detail)],
            )
        })
    }

    /// Parses the content as JSON.
    ///
    /// # Errors
    /// 415 if the media type is not JSON, 400 if the JSON is invalid. 422 if the JSON does not fit
    /// `T`; the fault has the JSON Pointer of the value that does not fit.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        check_json(self.headers().and_then(|headers| headers.get(header::CONTENT_TYPE)))?;
        let mut deserializer = serde_json::Deserializer::from_slice(&self.body);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let pointer = pointer(error.path());
            json_error(pointer, &error.into_inner())
        })?;
        deserializer.end().map_err(|error| json_error(String::new(), &error))?;
        Ok(value)
    }
}

/// Converts an error of the JSON parser. `pointer` is the JSON Pointer of the value at fault.
fn json_error(pointer: String, error: &serde_json::Error) -> Error {
    let reason = error.to_string();
    if !error.is_data() {
        return Error::new(
            Kind::MALFORMED_BODY,
            text!("The body is not JSON: {error}.", error = reason),
        );
    }
    // The parser ends its message with a position in the text. The pointer says more.
    let position = format!(" at line {} column {}", error.line(), error.column());
    let reason = reason.strip_suffix(&position).unwrap_or(&reason).to_owned();
    let detail = match &*pointer {
        "" => text!("The body does not have the expected form: {error}.", error = reason),
        at => {
            text!("`{name}` does not have the expected form: {error}.", name = at, error = reason)
        }
    };
    Error::about(Kind::INVALID_CONTENT, detail.clone(), vec![Fault::body(pointer, "type", detail)])
}

/// Returns the JSON Pointer (RFC 6901) of a path.
fn pointer(path: &serde_path_to_error::Path) -> String {
    let escaped = |key: &str| format!("/{}", key.replace('~', "~0").replace('/', "~1"));
    let segment = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => escaped(key),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(segment).collect()
}

/// The error for a placeholder name that the route does not have, which is a mistake in user code.
fn no_placeholder(name: &str) -> Error {
    Error::internal(format!(
        "the path of the route has no placeholder `{{{name}}}`; add it to the path, or use a placeholder that the path has"
    ))
}
