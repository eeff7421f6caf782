//! The query parameter `fields=name,city`, which selects the fields of a representation.

use std::sync::Arc;

use super::{
    format,
    parameter::{Parameter, pairs, repeated},
    query::{no_meaning, refused},
};
use crate::{
    base::{
        error::{Error, Fault, excerpt, text},
        nearest,
    },
    http::negotiate::Format,
    model::{FieldIx, ResourceIx, ResourceModel, SeenModel},
};

/// Collects the fields of the parameter `fields`.
pub(super) struct FieldsReader<'model> {
    seen: SeenModel<'model>,
    resource: &'model ResourceModel,
    fields: Option<Vec<FieldIx>>,
}

impl<'model> FieldsReader<'model> {
    pub(super) fn new(seen: SeenModel<'model>, of: ResourceIx) -> Self {
        Self { seen, resource: seen.resource(of), fields: None }
    }

    pub(super) fn read(&mut self, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let mut chosen: Vec<FieldIx> = vec![];
        for name in parameter.value.split(',') {
            let field = self.field(name, parameter)?;
            if chosen.contains(&field) {
                return Err(parameter.fault(
                    "repeated",
                    text!("`{name}` occurs twice in `{parameter}`.", name, parameter = "fields"),
                ));
            }
            chosen.push(field);
        }
        // The fields are sorted in the order of declaration. So equal representations have the same
        // validator.
        chosen.sort_unstable();
        if self.fields.replace(chosen).is_some() { Err(repeated(parameter)) } else { Ok(()) }
    }

    fn field(&self, name: &str, parameter: &Parameter<'_>) -> Result<FieldIx, Fault> {
        self.seen.field(self.resource.ix, name).ok_or_else(|| {
            if name.is_empty() {
                return parameter.fault(
                    "unknown",
                    text!("`fields` must be a list of field names with commas between them."),
                );
            }
            let names = self.resource.visible().map(|(_, field)| &*field.name);
            let (resource, field) = (self.resource.def.name, excerpt(name));
            let detail = text!("`{resource}` has no field `{field}`.", resource, field);
            parameter.fault("unknown", detail).hint(nearest::hint(name, names))
        })
    }

    /// The selected fields, in the order of declaration; `None` means all fields.
    pub(super) fn finish(self) -> Option<Arc<[FieldIx]>> {
        self.fields.filter(|chosen| chosen.len() < self.resource.visible().count()).map(Into::into)
    }
}

/// The parameters of a request for a member: its fields, and the format of the response.
pub(super) type MemberParameters = (Option<Arc<[FieldIx]>>, Option<Format>);

/// Parses the query string of a request for a member. Its parameters are `fields` and `format`.
pub(super) fn of_member(
    seen: SeenModel<'_>,
    of: ResourceIx,
    query: Option<&str>,
) -> Result<MemberParameters, Error> {
    if query.is_none() {
        return Ok((None, None));
    }
    let mut chosen = None;
    let mut fields = FieldsReader::new(seen, of);
    let mut faults = vec![];
    for parameter in pairs(query, seen.resource(of).limits)? {
        let read = match &*parameter.whole {
            "fields" => fields.read(&parameter),
            "format" => format::read(&mut chosen, &parameter),
            _ => Err(no_meaning(&parameter, text!("its parameters are `fields` and `format`"))),
        };
        faults.extend(read.err());
    }
    if faults.is_empty() { Ok((fields.finish(), chosen)) } else { Err(refused(faults)) }
}
