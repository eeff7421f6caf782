//! The responses of the operations of resources.

use http::StatusCode;

use super::{
    field,
    names::ResourceSchema,
    node::{JsonNode, JsonObject, component},
    operation::ResourceOperation,
    parameter, problem,
    resource::ResourceSchemas,
};
use crate::{
    http::negotiate::Format,
    model::{
        Model,
        def::{Operation, Precondition, RateLimitDef},
    },
};

const PART: &str = "A part of the representation.";
const WITHOUT_EMPTY: &str = "The URL of a web page without its empty filters.";
const UNCHANGED: &str = "The representation is unchanged.";

impl ResourceOperation<'_> {
    /// The responses of the operation, by status.
    pub(super) fn responses(self) -> JsonObject {
        let mut responses = self.successes();
        for status in self.failures() {
            responses.set(status.as_str().to_owned(), problem::of_status(status));
        }
        if self.schemas.model.has_code() {
            let any = component("schemas", &self.schemas.names.free("Problem"));
            let other = response("Another problem.", &[], None);
            responses.set("default", of_content(other, "application/problem+json", any));
        }
        responses
    }

    fn successes(self) -> JsonObject {
        let whole = || Some(self.schemas.component(ResourceSchema::Whole));
        let responses = JsonObject::new();
        match self.operation {
            Operation::List => {
                let page = Some(self.schemas.component(ResourceSchema::Page));
                let fields = [&OF_READS[..], &["Link", "X-Total-Count"]].concat();
                let page = response("A page of the collection.", &fields, page);
                let page = browsable(page).with_some("links", self.next_link());
                of_parts(responses.with("200", page))
                    .with("302", response(WITHOUT_EMPTY, &["Location"], None))
            }
            Operation::Get => {
                let member = browsable(response("The member.", &OF_READS, whole()));
                of_parts(responses.with("200", member))
            }
            Operation::Create => {
                let members = vec![
                    self.schemas.component(ResourceSchema::Whole),
                    self.schemas.component(ResourceSchema::Created),
                ];
                let schema = Some(JsonObject::new().with("anyOf", members));
                let fields = ["Location", "ETag", "Last-Modified", "Preference-Applied"];
                let text = "The new member, or the new members of an array.";
                let created = response(text, &fields, schema);
                responses.with("201", created.with_some("links", self.member_links()))
            }
            Operation::Replace => {
                let fields = ["Content-Location", "Preference-Applied"];
                let takes_ids = self.schemas.resource.def.takes_ids();
                let created = || response("The new member.", &["Location"], whole());
                responses
                    .with("200", response("The changed member.", &fields, whole()))
                    .with_some("201", takes_ids.then(created))
                    .with("204", response("The member was changed.", &fields, None))
            }
            Operation::Update => {
                let fields = ["ETag", "Last-Modified", "Content-Location", "Preference-Applied"];
                responses
                    .with("200", response("The changed member.", &fields, whole()))
                    .with("204", response("The member was changed.", &fields, None))
            }
            Operation::Delete => {
                responses.with("204", response("The member was deleted.", &[], None))
            }
            Operation::DeleteMany => {
                responses.with("204", response("The members were deleted.", &[], None))
            }
        }
    }

    /// The statuses of problems that the operation may have.
    fn failures(self) -> Vec<StatusCode> {
        let ResourceSchemas { model, resource, .. } = self.schemas;
        let is_read = matches!(self.operation, Operation::List | Operation::Get);
        let has_body =
            matches!(self.operation, Operation::Create | Operation::Replace | Operation::Update);
        let is_required = resource.def.precondition == Precondition::Required
            && !is_read
            && self.operation != Operation::Create;
        let is_nested = self.collection.contains('{');
        let mut all: Vec<_> = [
            (StatusCode::BAD_REQUEST, true),
            // A body that a page of another site has sent is refused.
            (StatusCode::FORBIDDEN, model.accounts.is_some() || has_body),
            (StatusCode::NOT_FOUND, self.is_of_member() || is_nested),
            (
                StatusCode::NOT_ACCEPTABLE,
                !matches!(self.operation, Operation::Delete | Operation::DeleteMany),
            ),
            (StatusCode::REQUEST_TIMEOUT, true),
            (StatusCode::CONFLICT, !is_read),
            (StatusCode::PRECONDITION_FAILED, true),
            (StatusCode::PAYLOAD_TOO_LARGE, true),
            (StatusCode::URI_TOO_LONG, true),
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, has_body),
            (StatusCode::RANGE_NOT_SATISFIABLE, is_read),
            (StatusCode::EXPECTATION_FAILED, true),
            (StatusCode::UNPROCESSABLE_ENTITY, has_body),
            (StatusCode::PRECONDITION_REQUIRED, is_required),
            (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, true),
            (StatusCode::INTERNAL_SERVER_ERROR, true),
            (StatusCode::SERVICE_UNAVAILABLE, true),
        ]
        .into_iter()
        .filter_map(|(status, may_be)| may_be.then_some(status))
        .chain(of_clients(model))
        .collect();
        all.sort_unstable();
        all
    }

    /// The link from a page to the next one.
    fn next_link(self) -> Option<JsonObject> {
        let ResourceSchemas { names, resource, .. } = self.schemas;
        if !super::has_cursors(resource) {
            return None;
        }
        let id = names.operation(Operation::List, resource, self.collection);
        let parameters = self.ancestors().with("after", "$response.body#/next_cursor");
        let next = JsonObject::new().with("operationId", id).with("parameters", parameters);
        Some(JsonObject::new().with("next", next))
    }

    /// The links from a new member to the operations on it.
    fn member_links(self) -> Option<JsonObject> {
        let ResourceSchemas { names, resource, .. } = self.schemas;
        let all = [Operation::Get, Operation::Replace, Operation::Update, Operation::Delete];
        let offered = all.into_iter().filter(|operation| resource.def.methods.contains(*operation));
        let links: JsonObject = offered
            .map(|operation| {
                let id = names.operation(operation, resource, self.collection);
                let own = format!("{}_id", resource.def.name);
                let parameters = self.ancestors().with(own, "$response.body#/id");
                let link = JsonObject::new().with("operationId", id).with("parameters", parameters);
                (operation.word(), link)
            })
            .collect();
        (!links.is_empty()).then_some(links)
    }

    /// The ids of the ancestors in the URL, as they were in the request.
    fn ancestors(self) -> JsonObject {
        let names = parameter::placeholders(self.collection);
        names.map(|name| (name.to_owned(), format!("$request.path.{name}"))).collect()
    }
}

/// The statuses of problems that every operation may have because of the client: its credentials,
/// the number of its requests, and the host that it names.
pub(super) fn of_clients(model: &Model) -> impl Iterator<Item = StatusCode> {
    let is_signed = model.accounts.is_some();
    let has_rates = is_signed || model.api.server.rate_limit != RateLimitDef::NONE;
    [
        (StatusCode::UNAUTHORIZED, is_signed),
        (StatusCode::MISDIRECTED_REQUEST, model.hosts.is_some()),
        (StatusCode::TOO_MANY_REQUESTS, has_rates),
    ]
    .into_iter()
    .filter_map(|(status, may_be)| may_be.then_some(status))
}

/// The header fields of representations of a resource.
const OF_READS: [&str; 4] = ["ETag", "Last-Modified", "Cache-Control", "Accept-Ranges"];

/// Adds the responses to a request for a part, and to one with a validator.
fn of_parts(responses: JsonObject) -> JsonObject {
    responses
        .with("206", response(PART, &["Content-Range", "ETag"], None))
        .with("304", response(UNCHANGED, &["ETag"], None))
}

/// Adds the web page to the content of a response.
fn browsable(mut response: JsonObject) -> JsonObject {
    if let Some(JsonNode::Object(content)) = response.get("content").cloned() {
        let page = JsonObject::new().with("type", "string");
        let page = JsonObject::new().with("schema", page);
        response.set("content", content.with("text/html", page));
    }
    response
}

/// Returns a response with header fields and content. The content of a resource has three formats.
pub(super) fn response(
    description: &str,
    fields: &[&'static str],
    schema: Option<JsonObject>,
) -> JsonObject {
    let headers = (!fields.is_empty()).then(|| field::references(fields));
    let response = JsonObject::new().with("description", description).with_some("headers", headers);
    let Some(schema) = schema else { return response };
    let text = |description: &str| {
        let schema = JsonObject::new().with("type", "string").with("description", description);
        JsonObject::new().with("schema", schema)
    };
    let content = JsonObject::new()
        .with(Format::Json.media_type(), JsonObject::new().with("schema", schema))
        .with(Format::Ndjson.media_type(), text("A member on each line, as JSON."))
        .with("text/csv", text("A line of names, and a line for each member."));
    response.with("content", content)
}

/// Gives a response content of one media type.
pub(super) fn of_content(
    response: JsonObject,
    media_type: &'static str,
    schema: JsonObject,
) -> JsonObject {
    let content = JsonObject::new().with(media_type, JsonObject::new().with("schema", schema));
    response.with("content", content)
}
