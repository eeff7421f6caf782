//! [`ActionKind`]: the operation of a request, with its input.

use std::sync::Arc;

use http::StatusCode;

use super::{Assignments, Call, CollectionQuery, JsonPatch, PutCreation};
use crate::{
    base::error::Kind,
    http::{audience::Audience, page_file::PageFile},
    model::{Chain, predicate::Predicate, value::Value},
    plan::idempotency::IdempotentRequest,
    request::route::Target,
};

/// The operation of a request, with its input.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// Returns the home document.
    Home,
    /// Returns the OpenAPI document.
    OpenApi,
    /// Returns the page with the API reference.
    Docs,
    /// Returns the state of the watched schema file.
    Watch,
    /// Responds to a health check: whether the process is alive.
    Health,
    /// Responds to a readiness check: whether the server can process requests.
    Ready,
    /// Returns what the server counts.
    Metrics,
    /// Returns the list of all kinds of problem.
    Problems(Audience),
    /// Returns the page about one kind of problem.
    Problem {
        /// The kind of problem that the page explains.
        kind: Kind,
        /// Whether a person or a program reads the page, and the language.
        audience: Audience,
    },
    /// Returns a file of the web pages.
    PageFile(Arc<PageFile>),
    /// Returns the form for a new member. The form that changes a member is a page of the member.
    NewForm {
        /// The collection of the new member.
        chain: Chain,
    },
    /// Returns the form with which a person signs in.
    SignIn {
        /// The path that the browser shows afterwards.
        next: Option<String>,
    },
    /// Responds to OPTIONS: describes what the target supports.
    Describe(Target),
    /// Responds to TRACE: returns the request as the server received it.
    Trace(String),
    /// Redirects the client to another URL.
    Redirect {
        /// The value of `Location`.
        location: String,
        /// The status of the redirect.
        status: StatusCode,
    },
    /// Returns a page of a collection.
    List {
        /// The collection to read.
        chain: Chain,
        /// The filter, the order and the page.
        query: CollectionQuery,
    },
    /// Returns a member.
    Get {
        /// The collection of the member.
        chain: Chain,
        /// The id of the member.
        id: Value,
    },
    /// Creates one member or several members.
    Create {
        /// The collection of the new members.
        chain: Chain,
        /// The values of each new member.
        members: Vec<Assignments>,
        /// Whether the body is an array.
        many: bool,
        /// The `Idempotency-Key` of the request; `None` if it has none. A request with a key is
        /// executed only once, even if the client sends it again.
        once: Option<Arc<IdempotentRequest>>,
    },
    /// Replaces or updates the values of a member.
    Write {
        /// The collection of the member.
        chain: Chain,
        /// The id of the member.
        id: Value,
        /// The values to set.
        change: Assignments,
        /// The member to create if none exists with this id.
        create: PutCreation,
        /// Whether the body is the complete member (PUT).
        complete: bool,
    },
    /// Applies a JSON Patch to a member. After the member is read, the action becomes a
    /// [`Write`](ActionKind::Write).
    Amend {
        /// The collection of the member.
        chain: Chain,
        /// The id of the member.
        id: Value,
        /// The operations of the JSON Patch.
        patch: JsonPatch,
    },
    /// Deletes a member.
    Delete {
        /// The collection of the member.
        chain: Chain,
        /// The id of the member.
        id: Value,
    },
    /// Deletes all members that match a filter.
    DeleteMany {
        /// The collection of the members.
        chain: Chain,
        /// The filter.
        predicate: Predicate,
        /// The query string as the client sent it, in canonical encoding.
        given: String,
    },
    /// Calls the handler of a custom route.
    Custom(Box<Call>),
}
