//! The query parameters of a sort order: `sortby` with `-` before a name, or with `order`.

use super::parameter::{Parameter, repeated};
use crate::{
    base::{
        error::{Fault, Text, excerpt, text},
        limits, nearest,
    },
    model::{ResourceIx, ResourceModel, SeenModel, SortKey, complete},
};

/// Collects the parameters of a sort order.
pub(super) struct SortReader<'model> {
    seen: SeenModel<'model>,
    resource: &'model ResourceModel,
    keys: Option<Vec<SortKey>>,
    /// Whether a key in `sortby` has `-` before its name.
    signed: bool,
    directions: Option<Vec<bool>>,
    ill: bool,
}

impl<'model> SortReader<'model> {
    pub(super) fn new(seen: SeenModel<'model>, of: ResourceIx) -> Self {
        let resource = seen.resource(of);
        Self { seen, resource, keys: None, signed: false, directions: None, ill: false }
    }

    pub(super) fn read(&mut self, name: &str, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let read =
            if name == "order" { self.read_order(parameter) } else { self.read_keys(parameter) };
        self.ill |= read.is_err();
        read
    }

    fn read_keys(&mut self, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let mut keys: Vec<SortKey> = vec![];
        for name in parameter.value.split(',') {
            let key = self.key(name, parameter)?;
            if keys.iter().any(|known| known.field == key.field) {
                return Err(parameter.fault(
                    "repeated",
                    text!("`{name}` occurs twice in `{parameter}`.", name, parameter = "sortby"),
                ));
            }
            keys.push(key);
        }
        if keys.len() > limits::SORT_KEYS_MAX {
            let detail = text!("`sortby` has at most {most} keys.", most = limits::SORT_KEYS_MAX);
            return Err(parameter.fault("range", detail));
        }
        if self.keys.replace(keys).is_some() { Err(repeated(parameter)) } else { Ok(()) }
    }

    fn key(&mut self, name: &str, parameter: &Parameter<'_>) -> Result<SortKey, Fault> {
        let bare = name.strip_prefix('-');
        self.signed |= bare.is_some();
        let found = self.seen.field(self.resource.ix, bare.unwrap_or(name));
        let Some(field) = found.filter(|ix| self.resource[*ix].sortable) else {
            let names: Vec<_> = self
                .resource
                .fields
                .iter()
                .filter(|field| field.sortable)
                .map(|field| &*field.name)
                .collect();
            let shown = excerpt(bare.unwrap_or(name));
            let (hint, known) = (nearest::hint(&shown, names.iter().copied()), names.join(", "));
            let detail = text!(
                "`{name}` is not a field to sort by; these are: {known}.",
                name = shown,
                known
            );
            return Err(parameter.fault("unknown", detail).hint(hint));
        };
        Ok(SortKey { field, descending: bare.is_some() })
    }

    fn read_order(&mut self, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let direction = |word: &str| match word {
            "asc" => Some(false),
            "desc" => Some(true),
            _ => None,
        };
        let directions: Option<Vec<_>> = parameter.value.split(',').map(direction).collect();
        let Some(directions) = directions else {
            return Err(parameter.fault(
                "type",
                text!("`order` must be asc or desc, or one of them for each key."),
            ));
        };
        if self.directions.replace(directions).is_some() {
            Err(repeated(parameter))
        } else {
            Ok(())
        }
    }

    /// The sort order with the id as its last key. Without parameters, it is the declared order.
    pub(super) fn finish(self) -> Result<Vec<SortKey>, Option<Fault>> {
        if self.ill {
            return Err(None);
        }
        let conflict = |detail: Text| Err(Some(Fault::parameter("order", "conflict", detail)));
        let mut keys = match (self.keys, &self.directions) {
            (None, None) => return Ok(self.resource.sort.to_vec()),
            (None, Some(_)) => {
                return conflict(text!("`order` needs `sortby`, which says what to sort by."));
            }
            (Some(_), Some(_)) if self.signed => {
                return conflict(text!(
                    "`order` cannot be combined with `-` in `sortby`; use one of them."
                ));
            }
            (Some(keys), _) => keys,
        };
        match self.directions.as_deref() {
            None => {}
            Some([one]) => keys.iter_mut().for_each(|key| key.descending = *one),
            Some(each) if each.len() == keys.len() => {
                keys.iter_mut()
                    .zip(each)
                    .for_each(|(key, descending)| key.descending = *descending);
            }
            Some(_) => {
                return conflict(text!(
                    "`order` must be one direction, or one for each key of `sortby`."
                ));
            }
        }
        complete(&mut keys);
        Ok(keys)
    }
}
