//! A resource linked by itself, for code that needs its names and kinds and no store.

use std::{
    any::TypeId,
    sync::{PoisonError, RwLock},
};

use ahash::AHashMap;

use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{self, LinkError},
};

/// One entry for each resource type that was linked, hence bounded.
static LINKED: RwLock<Option<AHashMap<TypeId, &'static LinkResult>>> = RwLock::new(None);

type LinkResult = Result<model::ResourceModel, LinkError>;

/// Links the resource with its declared names.
///
/// # Errors
/// 500 where the declaration cannot be linked; building an interface reports the details.
pub(super) fn linked<R: Resource>() -> Result<&'static model::ResourceModel, Error> {
    let key = TypeId::of::<R>();
    let known = LINKED
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|map| map.get(&key).copied());
    let linked = known.unwrap_or_else(|| {
        let mut map = LINKED.write().unwrap_or_else(PoisonError::into_inner);
        let alone = || &*Box::leak(Box::new(model::alone(R::DEF, R::NEIGHBOURS)));
        map.get_or_insert_default().entry(key).or_insert_with(alone)
    });
    linked.as_ref().map_err(|error| Error::internal(error.clone()))
}
