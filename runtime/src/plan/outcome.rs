//! The outcomes of plans.

use crate::{
    http::{
        answer::Answer,
        body::Stream,
        http_date::Second,
        negotiate::{Coding, Format},
    },
    model::{FieldIx, ResourceIx, value::Value},
    plan::validator::{CurrentState, NO_TAG},
};

/// The outcome of running a plan.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The plan had no steps, so nothing was read or written.
    Static,
    /// A precondition contains the current validator (`If-None-Match`), so no content is sent.
    Unchanged {
        /// The number of the current validator.
        tag: u64,
        /// The state of the tables whose rows a member passes besides its own, encrypted. It is 0
        /// if there are none.
        passed: u64,
        /// The content coding of the representation that the client has stored.
        coding: Coding,
    },
    /// A page of a collection. Its rows are in the sink, which rendered or collected them.
    Page {
        /// The cursor positions of the first and last row, if links to other pages need them.
        ends: Ends,
        /// Whether more members follow the page. For a page that was read backwards: whether more
        /// members come before it.
        has_more: bool,
        /// The total number of members, or `None` if it was not requested.
        total: Option<u64>,
        /// The number of the collection's validator, for this query.
        tag: u64,
        /// The time of the last change of the collection, if it is known.
        modified: Option<Second>,
    },
    /// A page has too many bytes for this worker, and nothing of it is in the sink. Another thread
    /// reads it, so that other requests of the worker do not wait for it.
    TooLarge,
    /// A page that a handler has returned. It has no validator. Its rows are in the sink, which
    /// rendered them.
    Listed {
        /// Whether more members follow the page.
        has_more: bool,
        /// The total number of members, or `None` if the handler did not return it.
        total: Option<u64>,
        /// The end of the page if its limit in bytes cut it off. `None` if all members that the
        /// handler returned fit.
        early: Option<EarlyEnd>,
    },
    /// A whole collection. Its content is rendered while it is sent.
    Exported {
        /// The total number of members, or `None` if it was not requested.
        total: Option<u64>,
        /// The state of the collection, from which its validators are made.
        current: CurrentState,
        /// The stream of the content.
        content: Stream,
    },
    /// The response that the handler of a custom route has returned.
    Answered(Box<Answer>),
    /// The member that was read, or the members that were written, in the order of the steps. They
    /// are rendered in the sink.
    Members {
        /// The id and the revision of each member in the sink. The revision is 0 if it cannot be
        /// used as a validator.
        written: Vec<(Value, u64)>,
        /// The state of the tables whose rows a member that was read passes besides its own,
        /// encrypted. It is 0 if there are none.
        passed: u64,
        /// Whether the members were created by this request.
        created: bool,
        /// The time of the last change of these members, if it is known.
        modified: Option<Second>,
        /// The ids of the member's ancestors, outermost first, or `None` if the request cannot have
        /// changed its parent.
        place: Option<Vec<Value>>,
    },
    /// The request is idempotent and was answered before. This is the first response to it.
    Repeated(FirstResponse),
    /// The ids of the members that match a filter. A later write is restricted to them.
    Ids(Vec<Value>),
    /// The number of members that were deleted.
    Deleted(u64),
    /// The request was refused, for a reason that the client can resolve.
    Refused(Refusal),
}

impl Outcome {
    /// The outcome of members that were written, or that user code has read: it passes no rows of
    /// other tables.
    pub(crate) const fn written(
        written: Vec<(Value, u64)>,
        created: bool,
        modified: Option<Second>,
        place: Option<Vec<Value>>,
    ) -> Self {
        Self::Members { written, passed: 0, created, modified, place }
    }

    /// Returns the time of the last change of the representation. Returns `None` if the time is
    /// unknown, or if the outcome has no representation.
    pub(crate) fn modified(&self) -> Option<Second> {
        match self {
            Self::Page { modified, .. } | Self::Members { modified, .. } => *modified,
            Self::Exported { current, .. } => current.modified,
            _ => None,
        }
    }
}

/// The positions of the first and the last row of a page. A position is the list of a row's values
/// for the sort keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// The position of the first row, or `None` if no link needs it.
    pub first: Option<Vec<Value>>,
    /// The position of the last row, or `None` if no link needs it.
    pub last: Option<Vec<Value>>,
    /// The end of the page if its limit in bytes cut it off. `None` if the page has the requested
    /// number of members, or if the collection has no more.
    pub early: Option<EarlyEnd>,
}

/// The end of a page that has fewer members than requested, because of its limit in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyEnd {
    /// The number of members in the page.
    pub members: u32,
    /// The number of members that fit into any page, if each is as large as the largest member of
    /// this page.
    pub fits: u32,
}

/// The stored first response to an idempotent request.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstResponse {
    /// The id and the revision of each member that the first request has created.
    pub written: Vec<(Value, u64)>,
    /// The time of the last change of these members, if it is known.
    pub modified: Option<Second>,
    /// The format and the bytes of the content, or `None` if the response has no content.
    pub content: Option<(Format, Vec<u8>)>,
}

impl FirstResponse {
    /// Returns the response without its content and validators, because the content would be
    /// different now. The response still names the created members.
    pub(crate) fn bare(self) -> Self {
        let written = self.written.into_iter().map(|(id, _)| (id, NO_TAG)).collect();
        Self { written, modified: None, content: None }
    }
}

/// The reason why a request was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// An access rule forbids the caller to write these values.
    Forbidden,
    /// The member, or an ancestor in the URL, does not exist.
    Missing {
        /// The position of the first id in the URL whose member does not exist. 0 stands for the
        /// outermost ancestor, and the last position for the member itself.
        link: u8,
    },
    /// A precondition of the request does not hold (412).
    Precondition,
    /// The resource requires a precondition, and the request has none (428).
    Unconditional,
    /// The idempotency key was used before, for a request with another body.
    Reused,
    /// Another write has changed the member since the revision that this change is based on.
    Overtaken,
    /// A merged JSON value is larger than a request body may be.
    TooLarge,
    /// The created members are together larger than a response may be.
    TooMuch,
    /// The values of these read-only fields in the body differ from the stored values.
    Echoes(Vec<FieldIx>),
    /// Values are in conflict with other members. A posted array may have a conflict for each of
    /// its members, in their order.
    Conflicts(Vec<WriteConflict>),
    /// Members of these resources refer to members that would be deleted, with `ON DELETE
    /// RESTRICT`.
    Restricted(Vec<Restriction>),
}

/// The values of a written member that are in conflict with other members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteConflict {
    /// The index of the plan's step (one SQL statement) that would write the values.
    pub step: usize,
    /// The kind of the conflict.
    pub kind: ConflictKind,
    /// The fields with these values.
    pub fields: Vec<FieldIx>,
}

/// The kinds of conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// Another member already has the same value in a unique field, or the same values in fields
    /// that are unique together.
    Taken,
    /// References point to members that do not exist.
    Dangling,
}

/// A reference that prevents a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The resource whose members hold the reference.
    pub by: ResourceIx,
    /// The resource that is referred to, if its members would be deleted by cascade. `None` if the
    /// reference points to the members that the request deletes.
    pub through: Option<ResourceIx>,
}
