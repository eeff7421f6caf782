//! Serves the bookings: `cargo run -p booking`.

use booking::{AppState, api, router};
use nouns::{Store, StoreOptions};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = api().build()?;
    let (store, _) = Store::open(&model, &StoreOptions::new("bookings.db"))?;
    let users = vec![("ada", "a-token"), ("grace", "g-token")];
    let app = router(AppState { store: store.clone(), users });
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app).with_graceful_shutdown(interrupted()).await?;
    // All requests have been answered. This waits until the last write is on the disk.
    store.close().await;
    Ok(())
}

/// Waits for Ctrl-C.
async fn interrupted() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::error!(%error, "no signal can be received");
    }
}
