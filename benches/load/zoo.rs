//! The server that is measured: the shipped zoo, served as `nouns serve` does it.

use std::{io, num::NonZero, path::PathBuf, sync::Arc, thread};

use nouns::{
    codegen::read_yaml,
    interpret::api_def,
    runtime::{
        Model, Service, Store,
        server::Server,
        store::{StoreOptions, Synchronous},
    },
};

use crate::child;

const SCHEMA: &str = include_str!("../../schemas/zoo.yaml");

/// Serves the zoo, with every write on the disk before it is answered, until the process is ended.
pub(crate) fn serve(path: PathBuf) -> io::Result<()> {
    let schema =
        read_yaml("zoo.yaml", SCHEMA).map_err(|_| io::Error::other("the shipped zoo has mistakes"))?;
    let model = Arc::new(Model::link(api_def(&schema)).map_err(io::Error::other)?);
    let options = StoreOptions { path, synchronous: Synchronous::Full, apply: false };
    let (store, _) = Store::open(&model, &options).map_err(io::Error::other)?;
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let server = Server::bind(([127, 0, 0, 1], 0).into(), workers)?;
    let _running = server.start(&Service::new(store))?;
    child::announce(_running.address());
    loop {
        thread::park();
    }
}
