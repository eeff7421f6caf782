//! Hooks around writes: a check across two fields, and an audit row in the same transaction.
//!
//! Run this example with `cargo run --example hooks`.

use std::io::{Write, stdout};

use nouns::{Api, Change, Date, Error, Fault, Id, Kind, Resource, Tx, snapshot::Recorder};

/// A guided tour.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Tour {
    pub(crate) id: Id<Self>,
    pub(crate) title: String,
    pub(crate) first_day: Date,
    pub(crate) last_day: Date,
}

/// An audit entry; only the program writes it.
#[derive(Clone, Debug, Resource)]
#[resource(methods = [list, get])]
pub(crate) struct AuditEntry {
    pub(crate) id: Id<Self>,
    #[resource(read_only)]
    pub(crate) what: Option<String>,
}

/// Checks that a tour does not end before it begins. A patch may set only one of the two days. So
/// the check is in the transaction, where both days are available.
fn in_order(_: &mut Tx<'_>, change: &Change<Tour>) -> Result<(), Error> {
    match &change.after {
        Some(tour) if tour.last_day < tour.first_day => {
            let fault =
                Fault::body("/last_day", "order", "`last_day` must not be before `first_day`.");
            Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]))
        }
        _ => Ok(()),
    }
}

/// Writes an audit entry in the same transaction as the change.
fn audited(tx: &mut Tx<'_>, change: &Change<Tour>) -> Result<(), Error> {
    let tour = change.after.as_ref().or(change.before.as_ref());
    let what = tour.map(|tour| format!("{:?} of tour {}", change.operation, tour.id));
    tx.as_system().of::<AuditEntry>().create(NewAuditEntry { what }).map(drop)
}

/// The API with its hooks.
pub(crate) fn api() -> Api {
    Api::new("Tours").resource::<Tour>().resource::<AuditEntry>().hooks::<Tour>(|hooks| {
        hooks
            .before_create(|_context, mut new: NewTour| async move {
                new.title = new.title.trim().to_owned();
                Ok(new)
            })
            .within_write(in_order)
            .within_write(audited)
    })
}

/// Creates a tour, sends a change that is refused, and lists the audit entries.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tours = Recorder::new(api().build()?);
    let tour =
        r#"{ "title": " Owls at night ", "first_day": "2026-11-01", "last_day": "2026-11-30" }"#;
    for (head, body) in [
        ("POST /tours", tour),
        ("PATCH /tours/1", r#"{ "last_day": "2026-10-01" }"#),
        ("GET /audit_entries", ""),
    ] {
        writeln!(stdout(), "{}", tours.exchange(head, body))?;
    }
    Ok(())
}
