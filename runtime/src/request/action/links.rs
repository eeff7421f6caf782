//! The query parameters in the links from a page to its neighbours.

use super::{CollectionQuery, OrderPosition, Window};
use crate::{model::ResourceModel, plan::Ends};

impl CollectionQuery {
    /// The query parameters of the first page.
    #[must_use]
    pub fn first(&self) -> String {
        match &self.page.window {
            Window::Offset(_) | Window::Page(_) => self.counted(0),
            Window::Start | Window::After(_) | Window::Before(_) => {
                format!("limit={}", self.page.limit)
            }
        }
    }

    /// The query parameters of the previous page; `None` if there is none. `ends` has the first and
    /// last row of this page. `has_more` says whether members follow in the direction of reading.
    /// If `total` is known, the link never goes to an offset after the last member.
    ///
    /// After a cursor there is always a previous page, since members precede the cursor. If this
    /// page is empty, the previous page is the end of the order.
    #[must_use]
    pub fn prev(
        &self,
        resource: &ResourceModel,
        ends: &Ends,
        has_more: bool,
        total: Option<u64>,
    ) -> Option<String> {
        let limit = self.page.limit;
        let members = self.members(ends);
        let to = |cursor: &OrderPosition| self.to(resource, "before", cursor);
        let first = || ends.first.clone().map(OrderPosition::at);
        match &self.page.window {
            Window::Start => None,
            Window::Offset(0) | Window::Page(0) => None,
            Window::Offset(offset) | Window::Page(offset) => {
                let (limit, total) =
                    (i64::from(limit), total.map(|total| i64::try_from(total).unwrap_or(i64::MAX)));
                let before = (offset - limit).max(0);
                let last = total
                    .filter(|total| before >= *total)
                    .map(|total| (total - 1).max(0) / limit * limit);
                Some(self.counted(last.unwrap_or(before)))
            }
            Window::After(_) => to(&first().unwrap_or(OrderPosition::END)),
            Window::Before(_) if !has_more => None,
            Window::Before(cursor) => {
                first().and_then(|first| to(&first)).or_else(|| to(&cursor.further(members)))
            }
        }
    }

    /// The query parameters of the next page; `None` if there is none. The arguments are as in
    /// [`prev`](Self::prev).
    #[must_use]
    pub fn next(&self, resource: &ResourceModel, ends: &Ends, has_more: bool) -> Option<String> {
        let members = self.members(ends);
        let to = |cursor: &OrderPosition| self.to(resource, "after", cursor);
        let last = || ends.last.clone().map(OrderPosition::at);
        match &self.page.window {
            Window::Before(_) => last().map_or_else(|| Some(self.first()), |last| to(&last)),
            _ if !has_more => None,
            Window::Offset(offset) | Window::Page(offset) => {
                offset.checked_add(members.into()).map(|offset| self.counted(offset))
            }
            Window::Start => last()
                .and_then(|last| to(&last))
                .or_else(|| to(&OrderPosition::END.further(members))),
            Window::After(cursor) => {
                last().and_then(|last| to(&last)).or_else(|| to(&cursor.further(members)))
            }
        }
    }

    /// The number of members on a page that is not the last.
    fn members(&self, ends: &Ends) -> u32 {
        ends.early.map_or(self.page.limit, |early| early.members)
    }

    /// The query parameters of the page that begins at this offset.
    fn counted(&self, offset: i64) -> String {
        let limit = self.page.limit;
        match &self.page.window {
            Window::Page(_) => format!("page={}&per_page={limit}", offset / i64::from(limit) + 1),
            _ => format!("limit={limit}&offset={offset}"),
        }
    }

    /// The query parameters of the page that begins or ends at a position; `None` if the cursor
    /// would be too long.
    fn to(&self, resource: &ResourceModel, name: &str, cursor: &OrderPosition) -> Option<String> {
        let cursor = cursor.spell(resource, &self.sort, self.cursor_key)?;
        Some(format!("limit={}&{name}={cursor}", self.page.limit))
    }
}
