//! The axum router: the API below `/api`, and what else the program serves.

use axum::{
    Json, Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use nouns::{Caller, Query, Service, Store};
use serde::Serialize;

use crate::resources::Booking;

/// The state that the handlers of the program share.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The store of the API. Its handlers and the program's own may use it.
    pub store: Store,
    /// The users, each with a token.
    pub users: Vec<(&'static str, &'static str)>,
}

/// The answer of `/status`.
#[derive(Serialize)]
struct Status {
    bookings: u64,
}

/// The router of the program.
pub fn router(state: AppState) -> Router {
    let service = Service::new(state.store.clone()).nested();
    Router::new()
        .route("/status", get(status))
        .nest_service("/api", service)
        .layer(middleware::from_fn_with_state(state.clone(), identify))
        .with_state(state)
}

/// A handler of the program itself, which uses the store like any database.
async fn status(State(state): State<AppState>) -> Result<Json<Status>, String> {
    let bookings = state.store.of::<Booking>().count(&Query::new()).await;
    Ok(Json(Status { bookings: bookings.map_err(|error| error.to_string())? }))
}

/// Says who sent a request. Hooks and routes read the caller from their context.
async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let token = request.headers().get("x-token").and_then(|token| token.to_str().ok());
    let user = state.users.iter().find(|(_, known)| token == Some(known));
    if let Some((name, _)) = user {
        request.extensions_mut().insert(Caller::named(name));
    }
    next.run(request).await
}
