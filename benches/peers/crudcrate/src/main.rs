//! The zoo served by crudcrate, a framework that the benchmark compares with Nouns.

mod animal;
mod zoo;

use std::{env, error::Error};

use axum::extract::DefaultBodyLimit;
use sea_orm::Database;
use tokio::net::TcpListener;
use utoipa_axum::router::OpenApiRouter;

/// Serves a database. The first argument is its path, and the second is the address to listen on.
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let database = arguments.next().ok_or("the first argument is the database")?;
    let address = arguments.next().ok_or("the second argument is the address")?;
    let store = Database::connect(format!("sqlite://{database}?mode=rw")).await?;
    let (router, _) = OpenApiRouter::new()
        .nest("/zoos", zoo::Zoo::router(&store))
        .nest("/animals", animal::Animal::router(&store))
        .split_for_parts();
    let router = router.layer(DefaultBodyLimit::max(1 << 20));
    axum::serve(TcpListener::bind(address).await?, router).await?;
    Ok(())
}
