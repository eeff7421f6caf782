//! The query parameters of a page: `limit` with a cursor, `limit` with `offset`, or `page` with
//! `per_page`.

use super::{
    cursor::{CursorError, DecodedCursor, OrderPosition},
    parameter::{Parameter, repeated},
};
use crate::{
    base::error::{Fault, Text, text},
    model::{
        ResourceModel, SortKey,
        def::{FieldKind, LimitDef},
        value::Value,
    },
};

/// The page of a collection that a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRequest {
    /// The maximum number of members on the page.
    pub limit: u32,
    /// Where the page begins or ends.
    pub window: Window,
    /// Whether the request has none of the page parameters. Then an export contains the whole
    /// collection.
    pub is_all: bool,
}

/// Where a page begins or ends. Each variant has its own parameters, which the links of the page
/// use, too.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// The first members of the order. The link to the next page has a cursor in `after`.
    Start,
    /// The members after this offset, from `limit` and `offset`.
    Offset(i64),
    /// The members after this offset, from `page` and `per_page`.
    Page(i64),
    /// The members after a position.
    After(OrderPosition),
    /// The last members before a position.
    Before(OrderPosition),
}

impl PageRequest {
    /// The number of members to skip, from the start of the order or from the position of the
    /// cursor.
    #[must_use]
    pub const fn offset(&self) -> i64 {
        match &self.window {
            Window::Start => 0,
            Window::Offset(offset) | Window::Page(offset) => *offset,
            Window::After(cursor) | Window::Before(cursor) => cursor.skip,
        }
    }
}

/// Collects the page parameters of a query string.
pub(super) struct PageReader {
    bounds: LimitDef,
    /// The values of the parameters in [`Self::NAMES`].
    values: [Option<i64>; 4],
    /// The values of the parameters in [`Self::CURSORS`].
    cursors: [Option<DecodedCursor>; 2],
    ill: bool,
}

/// The page parameters, before their cursors are compared with the filter and the order.
pub(super) struct PageParameters {
    limit: u32,
    is_all: bool,
    start: PageStart,
}

enum PageStart {
    Start,
    Counted(Window),
    After(DecodedCursor),
    Before(DecodedCursor),
}

impl PageReader {
    /// The page parameters whose values are numbers.
    const NAMES: [&str; 4] = ["limit", "offset", "page", "per_page"];
    /// The page parameters whose values are cursors.
    const CURSORS: [&str; 2] = ["after", "before"];

    pub(super) const fn new(bounds: LimitDef) -> Self {
        Self { bounds, values: [None; 4], cursors: [const { None }; 2], ill: false }
    }

    /// Whether a parameter sets the page. A link to another page has other values of these
    /// parameters.
    pub(super) fn reads(name: &str) -> bool {
        Self::NAMES.contains(&name) || Self::CURSORS.contains(&name)
    }

    pub(super) fn read(&mut self, name: &str, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let read = match Self::CURSORS.iter().position(|known| *known == name) {
            Some(at) => self.cursor(at, parameter),
            None => self.number(name, parameter),
        };
        self.ill |= read.is_err();
        read
    }

    fn cursor(&mut self, at: usize, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let Some(sent) = DecodedCursor::read(&parameter.value) else {
            return Err(no_cursor(Self::CURSORS[at]));
        };
        match self.cursors[at].replace(sent) {
            None => Ok(()),
            Some(_) => Err(repeated(parameter)),
        }
    }

    fn number(&mut self, name: &str, parameter: &Parameter<'_>) -> Result<(), Fault> {
        let at = Self::NAMES.iter().position(|known| *known == name).unwrap_or_default();
        let largest = if matches!(at, 0 | 3) { self.bounds.maximum.into() } else { i64::MAX };
        let least: i64 = if at == 1 { 0 } else { 1 };
        let parsed = Value::parse(FieldKind::Integer, &parameter.value);
        let Some(Value::Integer(value)) = parsed
            .ok()
            .filter(|value| matches!(value, Value::Integer(at) if (least..=largest).contains(at)))
        else {
            let detail = match largest {
                i64::MAX => text!("`{name}` must be a whole number from {least}.", name, least),
                most => text!(
                    "`{name}` must be a whole number from {least} to {most}.",
                    name,
                    least,
                    most
                ),
            };
            return Err(parameter.fault("range", detail));
        };
        match self.values[at].replace(value) {
            None => Ok(()),
            Some(_) => Err(repeated(parameter)),
        }
    }

    /// Checks the parameters together. The error is `None` if their errors were already reported.
    pub(super) fn finish(self) -> Result<PageParameters, Option<Fault>> {
        let [limit, offset, page, per_page] = self.values;
        if self.ill {
            return Err(None);
        }
        let conflict = |name, detail: Text| Err(Some(Fault::parameter(name, "conflict", detail)));
        let (by_offset, by_page) = (limit.or(offset).is_some(), page.or(per_page).is_some());
        if by_offset && by_page {
            let detail = text!(
                "`page` and `per_page` cannot be combined with `limit` and `offset`; use one pair."
            );
            return conflict("page", detail);
        }
        let counted = offset.is_some() || by_page;
        let whence = match self.cursors {
            [Some(_), Some(_)] => {
                return conflict(
                    "before",
                    text!("`after` and `before` cannot be combined; use one of them."),
                );
            }
            [Some(_), None] if counted => return conflict("after", counts_nothing("after")),
            [None, Some(_)] if counted => return conflict("before", counts_nothing("before")),
            [Some(after), None] => PageStart::After(after),
            [None, Some(before)] => PageStart::Before(before),
            [None, None] => PageStart::Start,
        };
        let size = limit
            .or(per_page)
            .and_then(|size| u32::try_from(size).ok())
            .unwrap_or(self.bounds.default);
        let skipped =
            page.unwrap_or(1).checked_sub(1).and_then(|pages| pages.checked_mul(size.into()));
        let Some(skipped) = skipped else {
            let detail = text!("`page` times `per_page` is larger than any collection.");
            return Err(Some(Fault::parameter("page", "range", detail)));
        };
        let whence = match (whence, offset) {
            (PageStart::Start, Some(offset)) => PageStart::Counted(Window::Offset(offset)),
            (PageStart::Start, None) if by_page => PageStart::Counted(Window::Page(skipped)),
            (whence, _) => whence,
        };
        let is_all = matches!(whence, PageStart::Start) && limit.is_none();
        Ok(PageParameters { limit: size, is_all, start: whence })
    }
}

impl PageParameters {
    /// Returns the requested page. `of` is the hash that its cursors must contain; `None` if the
    /// order supports only `offset` pagination.
    pub(super) fn page(
        self,
        resource: &ResourceModel,
        sort: &[SortKey],
        of: Option<u64>,
    ) -> Result<PageRequest, Fault> {
        let placed = |name, sent: DecodedCursor| {
            let Some(of) = of else {
                let what_has = text!("its order supports only `offset` pagination");
                let detail =
                    text!("`{name}` is not supported by this request; {what_has}.", name, what_has);
                return Err(Fault::parameter(name, "unknown", detail));
            };
            sent.cursor(resource, sort, of).map_err(|wrong| match wrong {
                CursorError::Form => no_cursor(name),
                CursorError::Query => foreign_cursor(name),
            })
        };
        let window = match self.start {
            PageStart::Start if of.is_none() => Window::Offset(0),
            PageStart::Start => Window::Start,
            PageStart::Counted(window) => window,
            PageStart::After(sent) => Window::After(placed("after", sent)?),
            PageStart::Before(sent) => Window::Before(placed("before", sent)?),
        };
        Ok(PageRequest { limit: self.limit, window, is_all: self.is_all })
    }
}

fn no_cursor(name: &'static str) -> Fault {
    let detail = text!("`{name}` must be a cursor from the links of a page.", name);
    Fault::parameter(name, "type", detail)
}

/// The error for a cursor of another collection, filter or order.
pub(crate) fn foreign_cursor(name: &'static str) -> Fault {
    let detail = text!(
        "`{name}` is a cursor of another collection, filter or order; use it with its own query.",
        name
    );
    Fault::parameter(name, "conflict", detail)
}

fn counts_nothing(name: &'static str) -> Text {
    text!(
        "`{name}` cannot be combined with `offset`, `page` and `per_page`; use `limit` with it.",
        name
    )
}
