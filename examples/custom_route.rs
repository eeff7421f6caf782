//! Custom routes beside the generated ones. One route is below a member, which must exist. The
//! second route, `/statistics`, belongs to no resource.
//!
//! Run this example with `cargo run --example custom_route`.

use std::io::{Write, stdout};

use nouns::{
    Answer, Api, Error, Id, Kind, Resource, RouteRequest,
    http::{Method, StatusCode},
    snapshot::Recorder,
};

/// A park in which animals live.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
    #[resource(default = false, read_only)]
    pub(crate) open: bool,
}

/// A custom problem type, with a page at `/-/problems/already-open`.
const ALREADY_OPEN: Kind = Kind {
    slug: "already-open",
    status: StatusCode::CONFLICT,
    title: "Already open",
    meaning: "The zoo is open already, so it cannot be opened.",
};

/// Handles `POST /zoos/{zoo}/openings`: opens a zoo, or fails with 409 if the zoo is open already.
async fn open_zoo(request: RouteRequest) -> Result<Answer, Error> {
    let zoo = request.member::<Zoo>().await?;
    if zoo.open {
        return Err(Error::new(ALREADY_OPEN, format!("`{}` is open already.", zoo.name)));
    }
    let patch = ZooPatch { open: true.into(), ..ZooPatch::default() };
    let zoos = request.context().store().of::<Zoo>();
    let zoo = zoos.update(zoo.id, patch).if_match(zoo.revision).await?;
    Answer::member(request.context(), zoo)
}

/// Handles `GET /statistics`: returns the number of open zoos.
async fn statistics(request: RouteRequest) -> Result<Answer, Error> {
    let zoos = request.context().store().of::<Zoo>();
    let open = zoos.list(&Zoo::query().filter(|zoo| zoo.open.eq(true)).limit(1).count()).await?;
    Answer::json(StatusCode::OK, &serde_json::json!({ "open": open.total }))
}

/// The API with its custom routes.
pub(crate) fn api() -> Api {
    Api::new("City zoos")
        .resource::<Zoo>()
        .problem(ALREADY_OPEN)
        .route(Method::POST, "/zoos/{zoo}/openings", open_zoo)
        .route(Method::GET, "/statistics", statistics)
}

/// Opens a zoo, opens the same zoo again, and opens a zoo that does not exist.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let zoos = Recorder::new(api().build()?);
    for (head, body) in [
        ("POST /zoos", r#"{ "name": "City Zoo" }"#),
        ("POST /zoos/1/openings", ""),
        ("POST /zoos/1/openings", ""),
        ("POST /zoos/2/openings", ""),
        ("GET /statistics", ""),
    ] {
        writeln!(stdout(), "{}", zoos.exchange(head, body))?;
    }
    Ok(())
}
