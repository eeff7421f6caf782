//! [`Bed`], a test bed: a store of the typed resources in its own folder.

use std::sync::Arc;

use nouns_runtime::{
    Error, Id, Model, Resource as _, Store,
    def::{ApiDef, Case},
    error::FaultAt,
    store::{StoreOptions, Synchronous},
};
use tempfile::TempDir;

use super::{
    staff::{Keeper, NewKeeper},
    zoo::{Animal, NewAnimal, NewZoo, Zoo},
};
use crate::database::TestDatabase;
pub(crate) use crate::store::bed::wait;

pub(crate) static API: ApiDef =
    ApiDef { resources: &[Zoo::DEF, Animal::DEF, Keeper::DEF], ..ApiDef::new("City zoos") };

/// The same interface as [`API`], with field names in camel case on the wire.
pub(crate) static CAMEL: ApiDef = ApiDef { case: Case::Camel, ..API };

/// A test bed: a store and its folder. The folder is deleted when the test bed is dropped.
pub(crate) struct Bed {
    pub(crate) database: TestDatabase,
    _folder: TempDir,
    pub(crate) store: Store,
}

impl Bed {
    pub(crate) fn new() -> Self {
        Self::of(&API)
    }

    pub(crate) fn of(api: &'static ApiDef) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = Arc::new(Model::link(api).unwrap());
        let database = TestDatabase::new(folder.path().join("zoo.db"));
        let options = StoreOptions::new(database.location()).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(&model, &options).unwrap();
        Self { database, store, _folder: folder }
    }

    pub(crate) fn zoo(&self, name: &str) -> Id<Zoo> {
        wait(self.store.of::<Zoo>().create(NewZoo::new(name.into()))).unwrap().id
    }

    pub(crate) fn animal(&self, zoo: Id<Zoo>, name: &str, weight_kg: Option<f64>) -> Id<Animal> {
        let new = NewAnimal { weight_kg, ..NewAnimal::new(name.into()) };
        wait(self.store.of::<Animal>().within(zoo).create(new)).unwrap().id
    }
}

pub(crate) fn keeper(id: &str, name: &str) -> NewKeeper {
    NewKeeper::new(Id::new(id.into()), name.into())
}

/// The status of an error, and its list of invalid fields and parameters, each with its error code.
pub(crate) fn refusal<T: std::fmt::Debug>(
    result: Result<T, Error>,
) -> (u16, Vec<(String, &'static str)>) {
    let error = result.unwrap_err();
    let place = |at: &FaultAt| match at {
        FaultAt::Pointer(place) | FaultAt::Parameter(place) => place.clone(),
    };
    let faults = error.faults().iter().map(|fault| (place(&fault.at), fault.code)).collect();
    (error.status().as_u16(), faults)
}

/// The status of an error and its text.
pub(crate) fn sentence<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    let error = result.unwrap_err();
    format!("{}: {error}", error.status().as_u16())
}

/// The cause of an error, which is logged and never sent to a client.
pub(crate) fn cause<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().source().unwrap().to_string()
}
