//! The schemas of a resource: a member, the bodies of requests, and a page.

use serde_json::Value as Json;

use super::{
    names::{Names, ResourceSchema},
    node::{JsonNode, JsonObject, component},
    value,
};
use crate::{
    base::limits,
    model::{
        FieldModel, Model, ResourceModel, Role,
        def::{DefaultDef, FieldAccessDef, FieldMode, Routes},
    },
    reply::describe::rules::literal,
};

/// The description of the present password in a body.
const CURRENT_PASSWORD: &str = "The present password of the caller, for another password or login \
                                of the own account. The scheme `Basic` has it already, and a new \
                                session needs none.";

/// The document's view of a resource.
#[derive(Clone, Copy)]
pub(super) struct ResourceSchemas<'model> {
    pub(super) model: &'model Model,
    pub(super) names: &'model Names,
    pub(super) resource: &'model ResourceModel,
}

impl ResourceSchemas<'_> {
    /// All schemas of the resource, with their names.
    pub(super) fn all(self) -> Vec<(String, JsonObject)> {
        let mut schemas = vec![
            (ResourceSchema::Whole, self.whole()),
            (ResourceSchema::Page, self.page()),
            (ResourceSchema::New, self.new_member()),
            (ResourceSchema::NewFlat, self.creation(true)),
            (ResourceSchema::Created, self.created()),
        ];
        if self.has_replacement() {
            schemas.push((ResourceSchema::Replacement, self.replacement()));
        }
        schemas.push((ResourceSchema::Patch, self.patch()));
        let name = |schema| self.names.schema(self.resource.ix, schema).to_owned();
        schemas.into_iter().map(|(schema, object)| (name(schema), object)).collect()
    }

    /// A reference to a schema of the resource.
    pub(super) fn component(self, schema: ResourceSchema) -> JsonObject {
        component("schemas", self.names.schema(self.resource.ix, schema))
    }

    /// A member, as it is returned. A field that not all callers may read can be missing.
    fn whole(self) -> JsonObject {
        let shown = self.resource.fields.iter().filter(|field| field.visible());
        let is_always =
            |field: &&FieldModel| field.def.is_none_or(|def| def.access == FieldAccessDef::EMPTY);
        let required = names(shown.clone().filter(is_always));
        let properties: JsonObject =
            shown.map(|field| (field.name.to_string(), self.property(field))).collect();
        let def = self.resource.def;
        let object = object(properties, required)
            .with_some("description", def.description)
            .with_some("deprecated", def.deprecated.map(|_| true));
        value::extended(object, def.extensions)
    }

    /// The body of a POST to the canonical URL. A nested URL has the parent.
    fn new_member(self) -> JsonObject {
        self.creation(self.resource.def.routes == Routes::Flat)
    }

    /// The body of a POST, with the id of the parent or without it.
    fn creation(self, has_parent: bool) -> JsonObject {
        let is_new = |field: &&FieldModel| match field.role {
            Role::Parent => has_parent,
            _ => is_changeable(field) || field.mode == FieldMode::CreateOnly,
        };
        let fields = self.resource.fields.iter().filter(is_new);
        let id_is_optional = self.resource.def.optional_id;
        let needed = |field: &&FieldModel| match field.role {
            Role::Id => !id_is_optional,
            _ => is_needed(field),
        };
        let required = names(fields.clone().filter(needed));
        let properties = fields.map(|field| (field.name.to_string(), self.input(field))).collect();
        object(properties, required).with("additionalProperties", false)
    }

    /// Whether the body of a PUT differs from that of a POST: by the id, or by fields that only a
    /// POST sets.
    pub(super) fn has_replacement(self) -> bool {
        self.replacement() != self.new_member()
    }

    /// The body of a PUT.
    fn replacement(self) -> JsonObject {
        let fields = self.resource.fields.iter().filter(|field| is_changeable(field));
        // Without it, the parent and a field that clients cannot read stay as they are.
        let needed = |field: &&FieldModel| {
            is_needed(field) && field.role != Role::Parent && field.mode != FieldMode::WriteOnly
        };
        let required = names(fields.clone().filter(needed));
        let properties = fields.map(|field| (field.name.to_string(), self.input(field)));
        let properties = properties.chain(self.current_password()).collect();
        object(properties, required).with("additionalProperties", false)
    }

    /// The body of a PATCH. Null removes a value.
    fn patch(self) -> JsonObject {
        let fields = self.resource.fields.iter().filter(|field| is_changeable(field));
        let properties = fields.map(|field| (field.name.to_string(), self.property(field)));
        let properties = properties.chain(self.current_password()).collect();
        object(properties, vec![]).with("additionalProperties", false)
    }

    /// The present password beside a new one. `None` unless the members are the accounts.
    fn current_password(self) -> Option<(String, JsonObject)> {
        let name = self.resource.current_password.as_deref()?;
        let schema = JsonObject::new()
            .with("type", "string")
            .with("format", "password")
            .with("writeOnly", true)
            .with("description", CURRENT_PASSWORD);
        Some((name.to_owned(), schema))
    }

    /// A page of the collection.
    fn page(self) -> JsonObject {
        let (names, of) = (self.names, self.component(ResourceSchema::Whole));
        let items = JsonObject::new().with("type", "array").with("items", of);
        let text = |description: &str| {
            JsonObject::new().with("type", "string").with("description", description)
        };
        let whole = |least: u64, description: &str| {
            JsonObject::new()
                .with("type", "integer")
                .with("minimum", least)
                .with("description", description)
        };
        let properties = JsonObject::new()
            .with("items", items)
            .with("links", component("schemas", &names.free("PageLinks")))
            .with(
                "next_cursor",
                text(
                    "The value of `after` for the next page. Absent on the last page, and with \
                    `offset` and `page`.",
                ),
            )
            .with("limit", whole(1, "The largest number of members on the page."))
            .with("total", whole(0, "The number of all matching members, with `count=true`."));
        object(properties, ["items", "links", "limit"].map(str::to_owned).into())
    }

    /// The largest number of members that an array may create.
    pub(super) fn members_max(self) -> usize {
        let has_password = self.resource.fields.iter().any(|field| field.kind.is_password());
        if has_password { limits::REQUEST_PASSWORDS_MAX } else { limits::ARRAY_MEMBERS_MAX }
    }

    /// The members that a POST of an array has created.
    fn created(self) -> JsonObject {
        let items = JsonObject::new()
            .with("type", "array")
            .with("items", self.component(ResourceSchema::Whole))
            .with("minItems", 1)
            .with("maxItems", self.members_max());
        object(JsonObject::new().with("items", items), vec!["items".to_owned()])
    }

    /// A field in a response, or in a patch.
    fn property(self, field: &FieldModel) -> JsonObject {
        let schema = value::of_field(self.model, self.names, field);
        let schema = if field.required { schema } else { value::or_null(schema) };
        value::described(schema, field, self.usual(field))
    }

    /// A field in the body of a POST or a PUT, with its default.
    fn input(self, field: &FieldModel) -> JsonObject {
        let default = field.def.and_then(|def| match def.default? {
            DefaultDef::Value(default) => literal(field.kind, default),
            DefaultDef::Now | DefaultDef::Account(_) => None,
        });
        self.property(field).with_some("default", default)
    }

    /// Returns the description of a field whose declaration has none.
    fn usual(self, field: &FieldModel) -> String {
        let name = self.resource.def.name.replace('_', " ");
        let target = field.target.map(|target| self.model[target].def.name.replace('_', " "));
        match (field.role, target) {
            (Role::Id, _) => format!("The id of the {name}."),
            (Role::CreatedAt, _) => format!("When the {name} was created."),
            (Role::UpdatedAt, _) => format!("When the {name} was last changed."),
            (Role::Parent, Some(target)) => format!("The id of the {target} that has the {name}."),
            (_, Some(target)) => format!("The id of a {target}."),
            _ => format!("The {} of the {name}.", field.name.replace('_', " ")),
        }
    }
}

/// Whether PUT and PATCH may change the field.
fn is_changeable(field: &FieldModel) -> bool {
    matches!(field.mode, FieldMode::ReadWrite | FieldMode::WriteOnly)
}

/// Whether a new member without the field is refused.
fn is_needed(field: &FieldModel) -> bool {
    field.required && field.def.is_none_or(|def| def.default.is_none())
}

fn names<'field>(fields: impl Iterator<Item = &'field FieldModel>) -> Vec<String> {
    fields.map(|field| field.name.to_string()).collect()
}

/// Returns the schema of an object.
pub(super) fn object(properties: JsonObject, required: Vec<String>) -> JsonObject {
    let required = (!required.is_empty()).then(|| Json::from(required));
    JsonObject::new()
        .with("type", "object")
        .with("properties", JsonNode::Object(properties))
        .with_some("required", required.map(JsonNode::Json))
}
