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

/// The result of a plan.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The plan had no steps for the store.
    Static,
    /// A precondition names the current validator, so no content is sent.
    Unchanged {
        /// The current validator.
        tag: u64,
        /// The content coding of the representation that the client has.
        coding: Coding,
    },
    /// A page; its rows are in the sink.
    Page {
        /// The positions of its first and last row, as far as links need them.
        ends: Ends,
        /// Whether the collection has more members beyond the page, in the direction of reading.
        has_more: bool,
        /// The total number of members, where it was requested.
        total: Option<u64>,
        /// The validator of the collection under this query.
        tag: u64,
        /// The time of its last change.
        modified: Option<Second>,
    },
    /// A page that a handler made, which has no validator; its rows are in the sink.
    Listed {
        /// Whether the collection has members after the page.
        has_more: bool,
        /// The total number of members, where the handler returns it.
        total: Option<u64>,
        /// The early end of the page, where not all members that the handler gave are returned.
        early: Option<EarlyEnd>,
    },
    /// A whole collection, which is made while it is sent.
    Exported {
        /// The total number of members, where it was requested.
        total: Option<u64>,
        /// The state that its validators are made of.
        current: CurrentState,
        /// The content.
        content: Stream,
    },
    /// The response of a handler of a custom route.
    Answered(Answer),
    /// Members in the sink: the one that was read, or those that were written, in the order of the
    /// steps.
    Members {
        /// The id and the revision of each member in the sink; the revision is 0 where it is no
        /// validator.
        written: Vec<(Value, u64)>,
        /// Whether they are new.
        created: bool,
        /// The time of the last change among them.
        modified: Option<Second>,
        /// The ids of its ancestors, outermost first, if it may have got another parent.
        place: Option<Vec<Value>>,
    },
    /// The request was answered before, and the response is returned again.
    Repeated(FirstResponse),
    /// The ids of the members that a later write is restricted to.
    Ids(Vec<Value>),
    /// The number of members that were deleted.
    Deleted(u64),
    /// Nothing was written, for a reason that the client can fix.
    Refused(Refusal),
}

impl Outcome {
    /// Returns the time of the last change of what was read, where it is known.
    pub(crate) fn modified(&self) -> Option<Second> {
        match self {
            Self::Page { modified, .. } | Self::Members { modified, .. } => *modified,
            Self::Exported { current, .. } => current.modified,
            _ => None,
        }
    }
}

/// The positions of the first and the last row of a page, by the values of its sort keys, where
/// they were recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// The position of the first row, where the page begins or ends at a cursor.
    pub first: Option<Vec<Value>>,
    /// The position of the last row, where the page ends at a cursor, or is full.
    pub last: Option<Vec<Value>>,
    /// The early end, or `None` where the page has all requested members, or the collection has no
    /// more.
    pub early: Option<EarlyEnd>,
}

/// The end of a page before the requested number of members: more would exceed its limit in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyEnd {
    /// The number of members of the page.
    pub members: u32,
    /// The number of members as large as its largest that any page can have.
    pub fits: u32,
}

/// The first response to an idempotent request.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstResponse {
    /// The members that it reports, by id and revision.
    pub written: Vec<(Value, u64)>,
    /// The time of the last change among them.
    pub modified: Option<Second>,
    /// The format and the bytes of the content, if it has one.
    pub content: Option<(Format, Vec<u8>)>,
}

impl FirstResponse {
    /// Returns the response without its content and validators, where the content would be
    /// different now. It still reports what was written.
    pub(crate) fn bare(self) -> Self {
        let written = self.written.into_iter().map(|(id, _)| (id, NO_TAG)).collect();
        Self { written, modified: None, content: None }
    }
}

/// The reason why nothing was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The caller may not write these values.
    Forbidden,
    /// A link of the chain in the URL does not exist. Links count from the outermost ancestor; the
    /// member is the last.
    Missing {
        /// The index of the link.
        link: u8,
    },
    /// A precondition does not hold.
    Precondition,
    /// The request has no precondition, and the resource requires one.
    Unconditional,
    /// The same key was used for another request.
    Reused,
    /// The member has changed since the revision that the change is based on.
    Overtaken,
    /// The merged value is larger than a body may be.
    TooLarge,
    /// The created members are larger than a response may be.
    TooMuch,
    /// Read-only members that differ from the stored values.
    Echoes(Vec<FieldIx>),
    /// A unique value, or a combination of values, that another member already has, in the body of
    /// this step.
    Taken {
        /// The index of the step.
        step: usize,
        /// The fields that are unique together.
        fields: Vec<FieldIx>,
    },
    /// References to members that do not exist, in the body of this step.
    Dangling {
        /// The index of the step.
        step: usize,
        /// The references.
        fields: Vec<FieldIx>,
    },
    /// Members of these resources refer to members that were to be deleted.
    Restricted(Vec<Restriction>),
}

/// A reference that forbids a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The resource whose members refer.
    pub by: ResourceIx,
    /// The referenced resource, if its members would be deleted by cascade; `None` if they are the
    /// requested ones.
    pub through: Option<ResourceIx>,
}
