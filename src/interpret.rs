//! Converts a checked [`Schema`] to static definitions, which the runtime links for `nouns serve`.
//!
//! Definitions are `'static`, so their memory is never freed. An equal schema that is converted
//! again uses no new memory. A changed schema uses memory for its definitions and new texts only.

mod access;
mod http;

use nouns_codegen::schema;
use nouns_codegen::schema::Schema;
use nouns_runtime::def::{
    ApiDef, ContactDef, DefaultDef, ExtensionDef, FieldDef, FieldKind, LicenseDef, Literal,
    Operations, ParentDef, ReferenceDef, ResourceDef, SortDef, TypeDef,
};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Returns the definitions of a schema. Equal schemas share their definitions.
pub fn api_def(schema: &Schema) -> &'static ApiDef {
    static KNOWN: Mutex<Vec<(Schema, &'static ApiDef)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, def)) = known.iter().find(|(other, _)| other == schema) {
        return def;
    }
    let def: &'static ApiDef = Box::leak(Box::new(new_api_def(schema)));
    known.push((schema.clone(), def));
    def
}

fn new_api_def(schema: &Schema) -> ApiDef {
    let api = &schema.api;
    ApiDef {
        title: text(&api.title),
        version: text(&api.version),
        description: optional(api.description.as_deref()),
        contact: api.contact.as_ref().map(contact_def),
        license: api.license.as_ref().map(license_def),
        base_path: text(&api.base_path),
        public_url: optional(api.public_url.as_deref()),
        case: api.case,
        server: http::server_def(&schema.server),
        auth: schema.auth.as_ref().map(access::auth_def),
        types: list(&schema.types, |named| &*Box::leak(Box::new(type_def(named)))),
        resources: list(&schema.resources, |resource| {
            &*Box::leak(Box::new(resource_def(resource)))
        }),
        extensions: extensions(&api.extensions),
    }
}

/// A text that lives as long as the program. Equal texts are shared.
fn text(text: &str) -> &'static str {
    static KNOWN: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(found) = known.get(text) {
        return found;
    }
    let leaked: &'static str = Box::leak(Box::from(text));
    known.insert(leaked);
    leaked
}

fn optional(value: Option<&str>) -> Option<&'static str> {
    value.map(text)
}

/// Converts values to a list that lives as long as the program.
fn list<T, D>(values: impl IntoIterator<Item = T>, def: impl FnMut(T) -> D) -> &'static [D] {
    values.into_iter().map(def).collect::<Vec<_>>().leak()
}

fn extensions(extensions: &[schema::Extension]) -> &'static [ExtensionDef] {
    list(extensions, |extension| ExtensionDef {
        name: text(&extension.name),
        json: text(&extension.json),
    })
}

fn contact_def(contact: &schema::Contact) -> ContactDef {
    ContactDef {
        name: optional(contact.name.as_deref()),
        url: optional(contact.url.as_deref()),
        email: optional(contact.email.as_deref()),
        extensions: extensions(&contact.extensions),
    }
}

fn license_def(license: &schema::License) -> LicenseDef {
    LicenseDef {
        name: text(&license.name),
        identifier: optional(license.identifier.as_deref()),
        extensions: extensions(&license.extensions),
    }
}

fn type_def(named: &schema::NamedType) -> TypeDef {
    let domain = &named.domain;
    TypeDef {
        name: text(&named.name),
        base: optional(named.base.as_deref()),
        kind: field_kind(domain),
        ignore_case: domain.ignore_case,
        minimum: domain.minimum.as_ref().map(literal),
        maximum: domain.maximum.as_ref().map(literal),
        min_length: domain.min_length,
        max_length: domain.max_length,
        pattern: optional(domain.pattern.as_deref()),
        choices: list(domain.choices.iter(), literal),
        format: domain.format,
        description: optional(named.description.as_deref()),
        example: named.example.as_ref().map(literal),
        extensions: extensions(&named.extensions),
    }
}

fn resource_def(resource: &schema::Resource) -> ResourceDef {
    ResourceDef {
        name: text(&resource.name),
        collection: text(&resource.collection),
        table: text(&resource.table),
        rust: text(&resource.rust),
        description: optional(resource.description.as_deref()),
        parent: resource.parent.as_ref().map(parent_def),
        routes: resource.routes,
        id: resource.id,
        optional_id: resource.optional_id,
        fields: list(&resource.fields, field_def),
        methods: Operations::of(&resource.methods),
        sort: list(&resource.sort, |key| SortDef {
            field: text(&key.field),
            descending: key.descending,
        }),
        limit: resource.limit,
        unique: sets(&resource.unique),
        indexes: sets(&resource.indexes),
        timestamps: resource.timestamps,
        label: optional(resource.label.as_deref()),
        deprecated: resource.deprecated.as_ref().map(http::deprecation_def),
        cache: resource.cache.as_ref().map(http::cache_def),
        precondition: resource.precondition,
        push: list(&resource.push, |push| *push),
        moved_from: texts(&resource.moved_from),
        moved_to: optional(resource.moved_to.as_deref()),
        access: access::access_def(&resource.access),
        extensions: extensions(&resource.extensions),
    }
}

fn parent_def(parent: &schema::Parent) -> ParentDef {
    ParentDef {
        resource: text(&parent.resource),
        field: text(&parent.field),
        on_delete: parent.on_delete,
        movable: parent.movable,
        required: parent.required,
    }
}

fn sets(sets: &[Vec<String>]) -> &'static [&'static [&'static str]] {
    list(sets, |set| texts(set))
}

fn texts(texts: &[String]) -> &'static [&'static str] {
    list(texts, |one| text(one))
}

fn field_def(field: &schema::Field) -> FieldDef {
    let domain = &field.domain;
    FieldDef {
        name: text(&field.name),
        column: text(&field.column),
        rust: text(&field.rust),
        kind: field_kind(domain),
        type_name: optional(field.type_name.as_deref()),
        reference: field.reference.as_ref().map(reference_def),
        required: field.required,
        default: field.default.as_ref().map(default_def),
        unique: field.unique,
        index: field.index,
        ignore_case: domain.ignore_case,
        minimum: domain.minimum.as_ref().map(literal),
        maximum: domain.maximum.as_ref().map(literal),
        min_length: domain.min_length,
        max_length: domain.max_length,
        pattern: optional(domain.pattern.as_deref()),
        choices: list(domain.choices.iter(), literal),
        format: domain.format,
        mode: field.mode,
        filterable: field.filterable,
        sortable: field.sortable,
        description: optional(field.description.as_deref()),
        example: field.example.as_ref().map(literal),
        deprecated: field.deprecated,
        access: access::field_access_def(&field.access),
        extensions: extensions(&field.extensions),
    }
}

fn reference_def(reference: &schema::Reference) -> ReferenceDef {
    ReferenceDef {
        resource: text(&reference.resource),
        alias: text(&reference.alias),
        on_delete: reference.on_delete,
        children: optional(reference.children.as_deref()),
    }
}

fn default_def(default: &schema::DefaultValue) -> DefaultDef {
    match default {
        schema::DefaultValue::Value(value) => DefaultDef::Value(literal(value)),
        schema::DefaultValue::Now => DefaultDef::Now,
        schema::DefaultValue::Account(field) => DefaultDef::Account(text(field)),
    }
}

fn literal(value: &schema::Literal) -> Literal {
    match value {
        schema::Literal::Integer(value) => Literal::Integer(*value),
        schema::Literal::Number(value) => Literal::Number(*value),
        schema::Literal::Boolean(value) => Literal::Boolean(*value),
        schema::Literal::String(value) => Literal::String(text(value)),
        schema::Literal::Json(value) => Literal::Json(text(value)),
    }
}

fn field_kind(domain: &schema::Domain) -> FieldKind {
    domain.kind.expect("a checked schema file has the kind of every field and type")
}

#[cfg(test)]
mod tests {
    use nouns_runtime::def::Operation;

    use super::*;

    fn read(text: &str) -> &'static ApiDef {
        api_def(&nouns_codegen::read_yaml("zoo.yaml", text).unwrap())
    }

    #[test]
    fn a_schema_is_interpreted() {
        let api = read(include_str!("../schemas/zoo.yaml"));
        let animal = api.resources[2];
        assert_eq!((animal.name, animal.collection, animal.rust), ("animal", "animals", "Animal"));
        assert_eq!(animal.parent.map(|parent| parent.field), Some("zoo_id"));
        assert_eq!(animal.fields[2].minimum, Some(Literal::Number(0.0)));
        assert!(api.resources[3].methods.contains(Operation::DeleteMany));
    }

    #[test]
    fn an_equal_schema_is_the_same_definition() {
        let yaml = "nouns: 1\nresources: { zoo: { fields: { name: string } } }";
        assert!(std::ptr::eq(read(yaml), read(yaml)));
        assert_ne!(read(yaml), read(&yaml.replace("string", "date")));
    }
}
