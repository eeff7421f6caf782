//! Links one resource alone: resolves the names in its declaration to indices. Code without a store
//! uses it for the names and kinds of fields.

use std::{
    any::TypeId,
    sync::{PoisonError, RwLock},
};

use foldhash::HashMap;

use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{self, LinkError},
};

/// The result for each resource type that was linked. The number of types in a program bounds the
/// size of the map.
static LINKED: RwLock<Option<HashMap<TypeId, &'static LinkResult>>> = RwLock::new(None);

type LinkResult = Result<model::ResourceModel, LinkError>;

/// Links the resource `R`: resolves names to indices. The field names are spelled as declared. The
/// result is stored, so each type is linked only once.
///
/// # Errors
/// 500 if the declaration has errors. [`Api::build`](crate::Api::build) reports the details.
pub(in crate::code) fn linked<R: Resource>() -> Result<&'static model::ResourceModel, Error> {
    let key = TypeId::of::<R>();
    let existing = LINKED
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|map| map.get(&key).copied());
    let linked = existing.unwrap_or_else(|| {
        let mut map = LINKED.write().unwrap_or_else(PoisonError::into_inner);
        let alone = || &*Box::leak(Box::new(model::alone(R::DEF, R::NEIGHBOURS)));
        map.get_or_insert_default().entry(key).or_insert_with(alone)
    });
    linked.as_ref().map_err(|error| Error::internal(error.clone()))
}
