//! [`References`]: the members that a response refers to. The server pushes them, or names them in
//! early hints.

use std::sync::Arc;

use crate::{
    model::{
        FieldIx, Model, ResourceIx,
        def::{Operation, Push},
        encoded,
        value::Value,
    },
    request::action::{Action, ActionKind},
    store::sink::Sink,
};

/// The paths of the members that a response refers to, below the base path. They leave a service in
/// the extensions of the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct References(Arc<[Box<str>]>);

impl References {
    /// Returns the paths, in the order in which the response refers to the members.
    pub(crate) fn paths(&self) -> &[Box<str>] {
        &self.0
    }

    /// The number of bytes of the paths.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|path| path.len()).sum()
    }

    /// Whether the response to an action is pushed with the members that it refers to.
    pub(super) fn are_pushed(model: &Model, action: &Action) -> bool {
        let (ActionKind::List { chain, .. } | ActionKind::Get { chain, .. }) = &action.kind else {
            return false;
        };
        model[chain.resource].def.push.contains(&Push::References)
    }

    /// The members that the rows in a sink refer to. `None` if there are none, or if they have no
    /// URL of their own: a URL below a parent cannot be made of an id.
    pub(super) fn of(model: &Model, sink: &Sink) -> Option<Self> {
        let Sink::Json(json) = sink else { return None };
        let paths: Vec<_> =
            json.references()?.iter().filter_map(|(of, id)| path(model, *of, id)).collect();
        (!paths.is_empty()).then(|| Self(paths.into()))
    }
}

/// The path of a member of a resource with a top-level collection.
fn path(model: &Model, of: ResourceIx, id: &Value) -> Option<Box<str>> {
    let resource = &model[of];
    let is_served = resource.at_top() && resource.def.methods.contains(Operation::Get);
    let id = encoded(&id.spell(resource[FieldIx::ID].kind)).to_string();
    is_served.then(|| ["/", resource.def.collection, "/", &id].concat().into())
}
