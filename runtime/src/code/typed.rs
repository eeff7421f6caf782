//! Typed calls: queries and writes of Rust programs. They run the same plans as HTTP requests do.
//!
//! [`Store::of`](crate::Store::of) returns the [`Collection`] of a resource.

mod check;
mod collection;
mod condition;
mod cursor;
mod declared;
mod field;
mod link;
mod lookup;
mod member;
mod order;
mod page;
mod query;
mod run;
mod sql;
mod stream;
mod text;
mod transaction;
mod write;

pub(super) use self::link::linked;
pub use self::{
    collection::{AllMembers, Collection, Creates, MembersOfParent},
    condition::Condition,
    cursor::Cursor,
    field::Field,
    member::{Member, Revision},
    order::{IntoOrder, Order},
    page::Page,
    query::Query,
    sql::{SqlParameter, SqlQuery, SqlRow},
    stream::MemberStream,
    transaction::TxCollection,
    write::{Delete, Replace, Update},
};
