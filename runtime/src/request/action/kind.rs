//! The operations that requests ask for, and what each needs.

use std::sync::Arc;

use http::StatusCode;

use super::{Assignments, Call, CollectionQuery, JsonPatch, PutCreation};
use crate::{
    base::error::Kind,
    http::audience::Audience,
    model::{Chain, predicate::Predicate, value::Value},
    plan::idempotency::IdempotentRequest,
    request::route::Target,
};

/// The operation that a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// The home document.
    Home,
    /// The health check: is the process alive?
    Health,
    /// The readiness check: can it serve requests?
    Ready,
    /// The list of all kinds of problem.
    Problems(Audience),
    /// The meaning of a problem.
    Problem {
        /// The problem.
        kind: Kind,
        /// The reader.
        audience: Audience,
    },
    /// A description of what a target offers.
    Describe(Target),
    /// The request as the server received it.
    Trace(String),
    /// A redirect.
    Redirect {
        /// The URL to go to.
        location: String,
        /// The status.
        status: StatusCode,
    },
    /// Lists a page of a collection.
    List {
        /// The collection.
        chain: Chain,
        /// The filter, order and page.
        query: CollectionQuery,
    },
    /// Gets a member.
    Get {
        /// The collection.
        chain: Chain,
        /// The id.
        id: Value,
    },
    /// Creates members.
    Create {
        /// The collection.
        chain: Chain,
        /// The values of each member.
        members: Vec<Assignments>,
        /// Whether the body was an array.
        many: bool,
        /// The idempotency key, if the request has one: then it is executed once, however often it
        /// is sent.
        once: Option<Arc<IdempotentRequest>>,
    },
    /// Replaces or updates the values of a member.
    Write {
        /// The collection.
        chain: Chain,
        /// The id.
        id: Value,
        /// The values.
        change: Assignments,
        /// The member to create if none exists.
        create: PutCreation,
        /// Whether the body was the complete member (PUT).
        complete: bool,
    },
    /// Applies a JSON Patch to a member. It becomes a [`Write`](ActionKind::Write) once the member
    /// has been read.
    Amend {
        /// The collection.
        chain: Chain,
        /// The id.
        id: Value,
        /// The operations.
        patch: JsonPatch,
    },
    /// Deletes a member.
    Delete {
        /// The collection.
        chain: Chain,
        /// The id.
        id: Value,
    },
    /// Deletes all members that match a filter.
    DeleteMany {
        /// The collection.
        chain: Chain,
        /// The filter.
        predicate: Predicate,
        /// The query as it was received, in canonical encoding.
        given: String,
    },
    /// A call of a custom route's handler.
    Custom(Box<Call>),
}
