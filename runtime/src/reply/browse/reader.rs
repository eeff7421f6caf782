//! The pages that the reader of a page may follow, since the access rules let it read them. A page
//! has no links to others.

use http::Method;

use crate::{
    model::{Chain, Model, def::Operation, value::Value},
    request::{access, action::Action, route::Target},
};

/// Whether the reader may see the page of a collection.
pub(super) fn may_list(model: &Model, action: &Action, chain: Chain) -> bool {
    model[chain.resource].def.methods.contains(Operation::List)
        && access::may(model, &Target::Collection(chain), &action.caller, &Method::GET)
}

/// Whether the reader may see the pages of some members of a collection.
pub(super) fn may_get(model: &Model, action: &Action, chain: Chain) -> bool {
    model[chain.resource].def.methods.contains(Operation::Get)
        && access::may(model, &Target::Member(chain, Value::Null), &action.caller, &Method::GET)
}
