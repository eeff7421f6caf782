//! The connection that makes or changes the tables of a model, and those that look at them.

use super::{
    address::PostgresAddress,
    build::{self, Built},
    handle::PostgresHandle,
    home, pooler,
    wire::{Driver, WaitLimit},
};
use crate::{
    base::{apart::apart, error::Error},
    model::{
        Model,
        accounts::AccountModel,
        def::{Scheme, SessionStore},
    },
    store::{Location, Migration, OpenError},
};

/// Reads the URL of a database for a model.
pub(super) fn address(
    model: &Model,
    location: &Location,
    url: &str,
) -> Result<PostgresAddress, OpenError> {
    if model.accounts.as_ref().is_some_and(keeps_files) {
        let reason = "may be used by several processes, so sessions cannot be in the files of one; set `auth.session.store: database`";
        return Err(OpenError::unusable_at(location, reason));
    }
    PostgresAddress::read(url).map_err(|error| OpenError::unusable_at(location, error))
}

/// Whether sessions are stored in files.
fn keeps_files(accounts: &AccountModel) -> bool {
    accounts.def.has(Scheme::Session) && accounts.def.session.store == SessionStore::File
}

/// Creates or migrates the tables of a model.
pub(super) fn build(
    address: &PostgresAddress,
    model: &Model,
    location: &Location,
    migration: Migration,
) -> Result<Built, OpenError> {
    apart(|| {
        let mut handle = connect(address, location)?;
        if pooler::is_shared(address, &mut handle).map_err(|error| away(location, &error))? {
            let reason = "is reached through a pooler that gives a connection to several clients in turns; let it keep a connection for each client (`pool_mode = session`), or name the server itself";
            return Err(OpenError::unusable_at(location, reason));
        }
        build::build(&mut handle, address, model, location, migration)
    })
}

/// Opens a connection of its own.
pub(super) fn connect(
    address: &PostgresAddress,
    location: &Location,
) -> Result<PostgresHandle, OpenError> {
    let opened =
        Driver::own().and_then(|driver| home::open(address, driver, true, &WaitLimit::default()));
    opened.map_err(|error| away(location, &error))
}

fn away(location: &Location, error: &Error) -> OpenError {
    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::unusable_at(location, format!("cannot be reached: {cause}"))
}
