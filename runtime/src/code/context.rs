//! Typed access to the request that a hook or a handler serves.

use crate::{
    code::resource::Resource,
    model::id::{Id, Key},
    store::context::CallFacts,
};

impl CallFacts {
    /// The id of the ancestor that is a member of `R`; `None` if there is none. Ancestors come from
    /// the URL, or from `within` of a typed call. Before a creation at a flat (not nested) URL, the
    /// parent comes from the body.
    ///
    /// The id is the one that the caller sent. The statement that reads or writes the member checks
    /// that the ancestor exists. This statement runs after `before` and `within` hooks.
    #[must_use]
    pub fn parent<R: Resource>(&self) -> Option<Id<R>> {
        let id = self.ancestor(R::NAME)?;
        R::Key::load(id.clone()).map(Id::new)
    }
}
