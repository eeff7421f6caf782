//! The operations of resources: what each method of each URL takes and returns.

use http::Method;
use serde_json::Value as Json;

use super::{
    names::ResourceSchema,
    node::{JsonNode, JsonObject, component},
    parameter,
    request_field::RequestField,
    resource::ResourceSchemas,
    security,
};
use crate::{
    base::limits,
    model::{
        Chain,
        def::{Operation, Precondition},
        value::Value,
    },
    plan::Caller,
    request::{
        access,
        action::{JSON, MERGE_PATCH},
        route::Target,
    },
};

/// An operation at a URL of a resource.
#[derive(Clone, Copy)]
pub(super) struct ResourceOperation<'model> {
    pub(super) schemas: ResourceSchemas<'model>,
    pub(super) operation: Operation,
    /// The path of the collection, below the base path.
    pub(super) collection: &'model str,
    pub(super) is_canonical: bool,
}

impl ResourceOperation<'_> {
    /// The operation object of the document.
    pub(super) fn object(self) -> JsonObject {
        let ResourceSchemas { names, resource, .. } = self.schemas;
        let id = names.operation(self.operation, resource, self.collection);
        let parameters = self.parameters();
        let parameters = (!parameters.is_empty()).then_some(parameters);
        JsonObject::new()
            .with("operationId", id)
            .with("tags", vec![names.plural(resource.ix)])
            .with("summary", self.summary())
            .with("description", self.description())
            .with_some("deprecated", resource.def.deprecated.map(|_| true))
            .with_some("security", security::of_operation(self.schemas.model, self.is_public()))
            .with_some("parameters", parameters)
            .with_some("requestBody", self.body())
            .with("responses", self.responses())
    }

    fn method(self) -> Method {
        match self.operation {
            Operation::List | Operation::Get => Method::GET,
            Operation::Create => Method::POST,
            Operation::Replace => Method::PUT,
            Operation::Update => Method::PATCH,
            Operation::Delete | Operation::DeleteMany => Method::DELETE,
        }
    }

    pub(super) fn is_of_member(self) -> bool {
        !matches!(self.operation, Operation::List | Operation::Create | Operation::DeleteMany)
    }

    /// Whether a caller without credentials may call the operation.
    fn is_public(self) -> bool {
        let depth = self.collection.matches('{').count();
        let chain =
            Chain { resource: self.schemas.resource.ix, ids: vec![Value::Integer(1); depth] };
        let target = if self.is_of_member() {
            Target::Member(chain, Value::Integer(1))
        } else {
            Target::Collection(chain)
        };
        let caller = Caller::Anonymous;
        access::may(self.schemas.model, &target, &caller, &self.method())
    }

    fn summary(self) -> String {
        let noun = self.schemas.resource.def.name.replace('_', " ");
        let many = self.schemas.names.plural(self.schemas.resource.ix).replace('_', " ");
        let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        match self.operation {
            Operation::List => format!("List {many}"),
            Operation::Create => format!("Create {article} {noun}"),
            Operation::Get => format!("Get {article} {noun}"),
            Operation::Replace => format!("Replace {article} {noun}"),
            Operation::Update => format!("Change {article} {noun}"),
            Operation::Delete => format!("Delete {article} {noun}"),
            Operation::DeleteMany => format!("Delete the {many} that match a filter"),
        }
    }

    fn description(self) -> &'static str {
        match self.operation {
            Operation::List => {
                "Returns a page of the collection. NDJSON and CSV without a parameter of the page \
                 have the whole collection."
            }
            Operation::Create => "Creates a member, or all members of an array, or none.",
            Operation::Get => "Returns the member.",
            Operation::Replace => {
                "Replaces the whole member. A missing field gets its default, or null."
            }
            Operation::Update => "Changes the fields in the body. Null removes a value.",
            Operation::Delete => "Deletes the member.",
            Operation::DeleteMany => {
                "Deletes all members that match, or none. At least one filter is required."
            }
        }
    }

    fn parameters(self) -> Vec<JsonObject> {
        let resource = self.schemas.resource;
        let is_required = resource.def.precondition == Precondition::Required;
        let fields = |fields: &[RequestField]| {
            fields.iter().map(|field| field.parameter(false)).collect::<Vec<_>>()
        };
        let guarded = || {
            vec![
                RequestField::IfMatch.parameter(is_required),
                RequestField::IfUnmodifiedSince.parameter(false),
            ]
        };
        match self.operation {
            Operation::List => {
                let query = parameter::of_list(resource, super::has_cursors(resource));
                [parameter::references(&query), fields(&RequestField::OF_READS)].concat()
            }
            Operation::Get => {
                let query = [parameter::fields(resource), parameter::format()];
                [parameter::references(&query), fields(&RequestField::OF_READS)].concat()
            }
            Operation::Create => fields(&[RequestField::IdempotencyKey, RequestField::Prefer]),
            Operation::Replace | Operation::Update => {
                let more = [RequestField::IfNoneMatch, RequestField::Prefer];
                [guarded(), fields(&more)].concat()
            }
            Operation::Delete => guarded(),
            Operation::DeleteMany => {
                [parameter::references(&parameter::of_filter(resource)), guarded()].concat()
            }
        }
    }

    fn body(self) -> Option<JsonObject> {
        let media = |schema: JsonObject| JsonObject::new().with("schema", schema);
        let content = match self.operation {
            Operation::Create => {
                let is_flat = !self.is_canonical && !self.collection.contains('{');
                let schema = if is_flat { ResourceSchema::NewFlat } else { ResourceSchema::New };
                let one = self.schemas.component(schema);
                let many = JsonObject::new()
                    .with("type", "array")
                    .with("items", one.clone())
                    .with("minItems", 1)
                    .with("maxItems", self.schemas.members_max());
                JsonObject::new()
                    .with(JSON, media(JsonObject::new().with("oneOf", vec![one, many])))
            }
            Operation::Replace => {
                let schema = if self.schemas.has_replacement() {
                    ResourceSchema::Replacement
                } else {
                    ResourceSchema::New
                };
                JsonObject::new().with(JSON, media(self.schemas.component(schema)))
            }
            Operation::Update => {
                let patch = self.schemas.component(ResourceSchema::Patch);
                let name = self.schemas.names.free("JsonPatch");
                JsonObject::new()
                    .with(MERGE_PATCH, media(patch.clone()))
                    .with(JSON, media(patch))
                    .with(JSON_PATCH, media(component("schemas", &name)))
            }
            Operation::List | Operation::Get | Operation::Delete | Operation::DeleteMany => {
                return None;
            }
        };
        Some(JsonObject::new().with("required", true).with("content", content))
    }
}

/// The media type of a JSON Patch.
const JSON_PATCH: &str = "application/json-patch+json";

/// The schema of a JSON Patch (RFC 6902).
pub(super) fn json_patch() -> JsonObject {
    let pointer = || {
        JsonObject::new()
            .with("type", "string")
            .with("description", "A JSON Pointer (RFC 6901).")
            .with("format", "json-pointer")
            .with("pattern", "^(/([^~/]|~[01])*)*$")
    };
    let step = |operations: &[&str], more: Option<(&'static str, JsonObject)>| {
        let op = JsonObject::new().with("type", "string").with("enum", Json::from(operations));
        let mut properties = JsonObject::new().with("op", op).with("path", pointer());
        let mut required = vec!["op".to_owned(), "path".to_owned()];
        if let Some((name, schema)) = more {
            properties.set(name, schema);
            required.push(name.to_owned());
        }
        super::resource::object(properties, required)
    };
    let any = JsonObject::new().with("description", "Any JSON value.");
    let steps = vec![
        step(&["add", "replace", "test"], Some(("value", any))),
        step(&["remove"], None),
        step(&["move", "copy"], Some(("from", pointer()))),
    ];
    JsonObject::new()
        .with("type", "array")
        .with(
            "description",
            "The operations of a JSON Patch (RFC 6902). They apply in order, all or none.",
        )
        .with("maxItems", limits::PATCH_OPERATIONS_MAX)
        .with("items", JsonObject::new().with("oneOf", JsonNode::from(steps)))
}
