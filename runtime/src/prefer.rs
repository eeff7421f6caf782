//! stub
use crate::action::Content;
use http::HeaderMap;
pub(crate) struct Preferences;
impl Preferences {
    pub(crate) fn of(_: &HeaderMap) -> Self {
        Self
    }
    pub(crate) fn content(&self) -> Option<Content> {
        None
    }
}
