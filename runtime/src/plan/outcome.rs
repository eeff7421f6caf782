//! What the store says of a plan.

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

/// What the store says of a plan.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// Nothing was asked of the store.
    Static,
    /// A precondition names the current validator: nothing is to be shown.
    Unchanged {
        /// The current validator.
        tag: u64,
        /// The coding of what the client has.
        coding: Coding,
    },
    /// A page; its rows are in the sink.
    Page {
        /// Where it begins and ends, as far as links need it.
        ends: Ends,
        /// Whether the collection goes on beyond them, away from where it was begun.
        has_more: bool,
        /// The number of members in all, where it was asked for.
        total: Option<u64>,
        /// The validator of the collection under this query.
        tag: u64,
        /// When it last changed.
        modified: Option<Second>,
    },
    /// A page that a handler of the author's made, which has no validator; its rows are in the
    /// sink.
    Listed {
        /// Whether the collection goes on after them.
        has_more: bool,
        /// The number of members in all, where the handler says it.
        total: Option<u64>,
        /// Where not all that the handler gave is returned.
        early: Option<EarlyEnd>,
    },
    /// A whole collection, which is made while it is sent.
    Exported {
        /// The number of members, where it was asked for.
        total: Option<u64>,
        /// What its validators are made of.
        current: CurrentState,
        /// The content.
        content: Stream,
    },
    /// What a handler of the author's answers at a URL of his own.
    Answered(Answer),
    /// Members in the sink: the one that was read, or those that were written, by id and revision
    /// in the order of the steps.
    Members {
        /// Each member in the sink; a revision of 0 where it is no validator.
        written: Vec<(Value, u64)>,
        /// Whether they are new.
        created: bool,
        /// When the last of them was changed.
        modified: Option<Second>,
        /// Where it stands now, by the ids of its ancestors, outermost first, if it may have got
        /// another parent.
        place: Option<Vec<Value>>,
    },
    /// The request was answered before: the answer is given again.
    Repeated(FirstResponse),
    /// The ids of members, for a write that changes no others.
    Ids(Vec<Value>),
    /// This many were deleted.
    Deleted(u64),
    /// Nothing was done, for a reason that the client can mend.
    Refused(Refusal),
}

impl Outcome {
    /// When what was read was last changed, where that is known.
    pub(crate) fn modified(&self) -> Option<Second> {
        match self {
            Self::Page { modified, .. } | Self::Members { modified, .. } => *modified,
            Self::Exported { current, .. } => current.modified,
            _ => None,
        }
    }
}

/// The places of the first and the last row of a page, by the values of the keys of its order,
/// where they were noted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// Of the first row, where the page begins or ends at a place.
    pub first: Option<Vec<Value>>,
    /// Of the last row, where the page ends at a place, or is full.
    pub last: Option<Vec<Value>>,
    /// Nothing where the page has all members that were asked for, or the collection has no more.
    pub early: Option<EarlyEnd>,
}

/// The end of a page before the number of members that was asked for: more would exceed its bound
/// in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyEnd {
    /// How many members it has.
    pub members: u32,
    /// How many members as large as the largest of them any page can have.
    pub fits: u32,
}

/// The first answer to a request that is done once.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstResponse {
    /// The members that it reports, by id and revision.
    pub written: Vec<(Value, u64)>,
    /// When the last of them was changed.
    pub modified: Option<Second>,
    /// The format and the bytes of what it shows of them, if it does.
    pub content: Option<(Format, Vec<u8>)>,
}

impl FirstResponse {
    /// The same where what it showed is not what would be shown now: what it did, without how that
    /// looked.
    pub(crate) fn bare(self) -> Self {
        let written = self.written.into_iter().map(|(id, _)| (id, NO_TAG)).collect();
        Self { written, modified: None, content: None }
    }
}

/// Why nothing was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// What would be written is nothing that the caller may leave.
    Forbidden,
    /// The URL leads nowhere: the place of the missing link in the chain, outermost first; the
    /// member comes after its ancestors.
    Missing {
        /// Which link.
        link: u8,
    },
    /// A precondition does not hold.
    Precondition,
    /// There is none, and the resource asks for one.
    Unconditional,
    /// Another request was answered under the same key.
    Reused,
    /// The member has changed since that was read of which a change was made.
    Overtaken,
    /// What was merged is larger than a body may be.
    TooLarge,
    /// What was created is larger than a response may be.
    TooMuch,
    /// Read-only members that are not what is stored.
    Echoes(Vec<FieldIx>),
    /// A value, or several together, that another member has, in the body of this step.
    Taken {
        /// Which step.
        step: usize,
        /// The fields that are unique, together.
        fields: Vec<FieldIx>,
    },
    /// References to members that do not exist, in the body of this step.
    Dangling {
        /// Which step.
        step: usize,
        /// The references.
        fields: Vec<FieldIx>,
    },
    /// Members of these resources refer to what was to be deleted.
    Restricted(Vec<Restriction>),
}

/// A reference that forbids a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The resource whose members refer.
    pub by: ResourceIx,
    /// The resource that they refer to, where its members would only go with those that were to be
    /// deleted.
    pub through: Option<ResourceIx>,
}
