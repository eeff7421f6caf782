//! The window: `limit` and `offset`, or `page` and `per_page`.

use super::parameter::{Parameter, repeated};
use crate::{
    def::{FieldKind, LimitDef},
    error::{Fault, text},
    value::Value,
};

/// Which part of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many members at most.
    pub limit: u32,
    /// How many come before them.
    pub offset: i64,
    /// Whether neither was asked for.
    pub is_all: bool,
    /// The parameters it was asked for by, which its links use too.
    pub family: Family,
}

/// The two families of parameters for a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `limit` and `offset`.
    Offset,
    /// `page` and `per_page`.
    Page,
}

impl Page {
    /// The parameters of the page that begins after this many members.
    #[must_use]
    pub fn parameters(&self, offset: i64) -> String {
        let limit = i64::from(self.limit);
        match self.family {
            Family::Offset => format!("limit={limit}&offset={offset}"),
            Family::Page => format!("page={}&per_page={limit}", offset / limit + 1),
        }
    }

    /// Where the page before this one begins.
    #[must_use]
    pub fn before(&self) -> Option<i64> {
        (self.offset > 0).then(|| (self.offset - i64::from(self.limit)).max(0))
    }

    /// The same where the number of members is known: never a page behind all of them.
    #[must_use]
    pub fn before_within(&self, total: u64) -> Option<i64> {
        let (limit, total) = (i64::from(self.limit), i64::try_from(total).unwrap_or(i64::MAX));
        let last = (total - 1).max(0) / limit * limit;
        self.before().map(|before| if before < total { before } else { last })
    }

    /// Where the page after this one begins, as far as numbers go.
    #[must_use]
    pub fn after(&self) -> Option<i64> {
        self.offset.checked_add(self.limit.into())
    }
}

/// Collects the parameters of a window.
pub(super) struct PageReader {
    bounds: LimitDef,
    /// In the order of [`Self::NAMES`].
    values: [Option<i64>; 4],
    ill: bool,
}

impl PageReader {
    pub(super) const NAMES: [&str; 4] = ["limit", "offset", "page", "per_page"];

    pub(super) const fn new(bounds: LimitDef) -> Self {
        Self { bounds, values: [None; 4], ill: false }
    }

    pub(super) fn read(&mut self, name: &str, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let at = Self::NAMES.iter().position(|known| *known == name).unwrap_or_default();
        let largest = if matches!(at, 0 | 3) { self.bounds.maximum.into() } else { i64::MAX };
        let least: i64 = if at == 1 { 0 } else { 1 };
        let parsed = Value::parse(FieldKind::Integer, &parameter.value);
        let Some(Value::Integer(value)) =
            parsed.ok().filter(|value| matches!(value, Value::Integer(at) if (least..=largest).contains(at)))
        else {
            self.ill = true;
            let detail = match largest {
                i64::MAX => text!("`{name}` must be a whole number from {least}.", name, least),
                most => text!("`{name}` must be a whole number from {least} to {most}.", name, least, most),
            };
            return Err(parameter.fault("range", detail));
        };
        match self.values[at].replace(value) {
            None => Ok(()),
            Some(_) => Err(repeated(parameter)),
        }
    }

    /// The window; nothing more to say of one whose parameters are already at fault.
    pub(super) fn finish(self) -> Result<Page, Option<Fault>> {
        let [limit, offset, page, per_page] = self.values;
        if self.ill {
            return Err(None);
        }
        let (by_offset, by_page) = (limit.or(offset).is_some(), page.or(per_page).is_some());
        if by_offset && by_page {
            let detail =
                text!("`page` and `per_page` do not go together with `limit` and `offset`; use one pair.");
            return Err(Some(Fault::parameter("page", "conflict", detail)));
        }
        let size =
            limit.or(per_page).and_then(|size| u32::try_from(size).ok()).unwrap_or(self.bounds.default);
        let family = if by_page { Family::Page } else { Family::Offset };
        let skipped = page.map_or(offset, |page| (page - 1).checked_mul(size.into()));
        match skipped.or((page.is_none()).then_some(0)) {
            Some(offset) => Ok(Page { limit: size, offset, is_all: !by_offset && !by_page, family }),
            None => Err(Some(Fault::parameter(
                "page",
                "range",
                text!("`page` times `per_page` is larger than any collection."),
            ))),
        }
    }
}
