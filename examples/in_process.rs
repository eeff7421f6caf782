//! A schema file served inside a program. The requests are function calls and need no socket.
//!
//! Run this example with `cargo run --example in_process`.

use std::{
    error::Error,
    io::{Write, stdout},
    sync::Arc,
};

use http::Request;
use nouns::{Body, Model, Service, Store, StoreOptions, codegen::read_yaml, interpret::api_def};

/// Creates a zoo, and finds the zoo with a filter.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let text = include_str!("../schemas/zoo.yaml");
    let schema =
        read_yaml("schemas/zoo.yaml", text).map_err(|diagnostics| diagnostics.to_string())?;
    let model = Arc::new(Model::link(api_def(&schema))?);
    let options = StoreOptions::new(folder.path().join("zoo.db"));
    let (store, _) = Store::open(&model, &options)?;
    let service = Service::new(store.clone());

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let zoo = r#"{ "name": "City Zoo", "city": "Leipzig" }"#;
        let request = Request::post("/zoos").header("content-type", "application/json");
        let created = service.reply(request.body(Body::from(zoo.as_bytes().to_vec()))?).await;
        writeln!(stdout(), "{} {:?}", created.status, created.headers["location"])?;

        let listed = service.reply(Request::get("/zoos?city=Leipzig").body(Body::Empty)?).await;
        if let Body::Full(bytes) = listed.body {
            writeln!(stdout(), "{}", String::from_utf8_lossy(&bytes))?;
        }
        store.close().await;
        Ok(())
    })
}
