//! A server written by hand with hyper and tokio-postgres, only for the zoo. It measures the least
//! time that such a server needs.
//!
//! Each worker has some connections, whose requests are pipelined. Each request is one or two
//! prepared statements, or a statement with the text of its filter. The server has no validation,
//! no conditional requests, no format negotiation and no log. Its tables have the same indexes as
//! those of Nouns, and no triggers.

use std::{
    cell::Cell, convert::Infallible, error::Error, fmt::Write as _, io, num::NonZero, rc::Rc,
    thread,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::{SignedDuration, Timestamp, civil};
use tokio_postgres::{
    Client, NoTls, Row, Statement,
    types::{FromSql, ToSql, Type},
};

use crate::{child, hello};

const ZOO: &str = "id, name, city, opened, created_at, updated_at";
const ANIMAL: &str = "id, zoo_id, name, animal_type_id, weight_kg, born, created_at, updated_at";
/// The number of connections of a worker, as many as Nouns has with two cores. Those that write
/// wait for the disk together.
const CONNECTIONS: usize = 10;

type AnswerByHand = Result<Response<Full<Bytes>>, Infallible>;

/// A connection with its prepared statements.
struct ZooConnection {
    client: Client,
    zoo: Statement,
    animals: Statement,
    count: Statement,
    member: Statement,
    insert: Statement,
    update: Statement,
}

/// The connections of a worker, used in turn.
struct Worker {
    connections: Vec<ZooConnection>,
    next: Cell<usize>,
}

/// Serves the tables in the schema `by_hand` until the process is killed.
pub(crate) fn serve(url: &str) -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN).get();
    let (address, listeners) = hello::listeners(workers)?;
    child::announce(address);
    let start = |listener| {
        let url = url.to_owned();
        thread::spawn(move || work(listener, &url))
    };
    let threads: Vec<_> = listeners.into_iter().map(start).collect();
    threads
        .into_iter()
        .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a worker panicked"))?)
}

fn work(listener: std::net::TcpListener, url: &str) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let mut connections = vec![];
        for _ in 0..CONNECTIONS {
            connections.push(connect(url).await.map_err(io::Error::other)?);
        }
        let worker = Rc::new(Worker { connections, next: Cell::new(0) });
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let worker = Rc::clone(&worker);
            let service = service_fn(move |request| answer(request, Rc::clone(&worker)));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service);
            tokio::task::spawn_local(connection);
        }
    })
}

async fn connect(url: &str) -> Result<ZooConnection, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("SET search_path = by_hand").await?;
    let zoo = client.prepare(&format!("SELECT {ZOO} FROM zoos WHERE id = $1")).await?;
    let animals = format!(
        "SELECT {ANIMAL} FROM animals WHERE zoo_id = $1 AND animal_type_id = $2 ORDER BY name, id LIMIT $3"
    );
    let animals = client.prepare(&animals).await?;
    let count = "SELECT count(*) FROM animals WHERE zoo_id = $1 AND animal_type_id = $2";
    let count = client.prepare(count).await?;
    let member = format!("SELECT {ANIMAL} FROM animals WHERE zoo_id = $1 AND id = $2");
    let member = client.prepare(&member).await?;
    let insert = format!(
        "INSERT INTO animals (zoo_id, name, animal_type_id, weight_kg, born, created_at, updated_at, revision) \
         VALUES ($1, $2, $3, $4, CAST($5::text AS date), now(), now(), 0) RETURNING {ANIMAL}"
    );
    let insert = client.prepare(&insert).await?;
    let update = format!(
        "UPDATE animals SET weight_kg = $2, updated_at = now() WHERE id = $1 RETURNING {ANIMAL}"
    );
    let update = client.prepare(&update).await?;
    Ok(ZooConnection { client, zoo, animals, count, member, insert, update })
}

async fn answer(request: Request<Incoming>, worker: Rc<Worker>) -> AnswerByHand {
    let (head, body) = request.into_parts();
    let at = worker.next.get();
    worker.next.set((at + 1) % worker.connections.len());
    let connection = &worker.connections[at];
    let path: Vec<&str> = head.uri.path().split('/').skip(1).collect();
    let json = match (&head.method, path.as_slice()) {
        (&Method::GET, ["zoos", id]) => connection.zoo(id).await,
        (&Method::GET, ["zoos", zoo, "animals"]) => {
            connection.animals(zoo, head.uri.query().unwrap_or_default()).await
        }
        (&Method::GET, ["zoos", zoo, "animals", id]) => connection.member(zoo, id).await,
        (&Method::POST, ["zoos", zoo, "animals"]) => match body.collect().await {
            Ok(body) => connection.insert(zoo, &body.to_bytes()).await,
            Err(_) => None,
        },
        (&Method::PATCH, ["zoos", _, "animals", id]) => match body.collect().await {
            Ok(body) => connection.update(id, &body.to_bytes()).await,
            Err(_) => None,
        },
        _ => None,
    };
    let mut response = Response::new(Full::new(Bytes::new()));
    match json {
        Some(json) => {
            if head.method == Method::POST {
                *response.status_mut() = StatusCode::CREATED;
            }
            *response.body_mut() = Full::new(Bytes::from(json));
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        None => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    Ok(response)
}

impl ZooConnection {
    async fn zoo(&self, id: &str) -> Option<String> {
        let row = self.client.query_one(&self.zoo, &[&id.parse::<i64>().ok()?]).await.ok()?;
        let mut json = String::with_capacity(256);
        write!(
            json,
            "{{\"id\":{},\"name\":{},\"city\":{},\"opened\":{},\"created_at\":\"{}\",\"updated_at\":\"{}\"}}",
            row.get::<_, i64>(0),
            text(row.get(1)),
            text(row.get(2)),
            day(&row, 3),
            moment(&row, 4),
            moment(&row, 5),
        )
        .ok()?;
        Some(json)
    }

    async fn animals(&self, zoo: &str, query: &str) -> Option<String> {
        let of = |name: &str| {
            let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            pair.and_then(|value| value.parse::<i64>().ok())
        };
        let (zoo, limit) = (zoo.parse::<i64>().ok()?, of("limit").unwrap_or(20));
        let Some(kind) = of("animal_type_id") else {
            return page(&self.filtered(zoo, query).await?, (zoo, query), limit, None);
        };
        let values: [&(dyn ToSql + Sync); 3] = [&zoo, &kind, &limit];
        let rows = self.client.query(&self.animals, &values);
        if !query.ends_with("&count=true") {
            return page(&rows.await.ok()?, (zoo, query), limit, None);
        }
        // Both are sent before either is answered.
        let count = self.client.query_one(&self.count, &values[..2]);
        let (rows, count) = tokio::try_join!(rows, count).ok()?;
        page(&rows, (zoo, query), limit, Some(count.get(0)))
    }

    /// The first animals that a filter matches. The text of the statement is that of the filter.
    async fn filtered(&self, zoo: i64, query: &str) -> Option<Vec<Row>> {
        let mut text = format!("SELECT {ANIMAL} FROM animals WHERE zoo_id = $1");
        let (mut values, mut order) = (vec![], String::new());
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if name == "sortby" {
                let (field, direction) =
                    value.strip_prefix('-').map_or((value, ""), |field| (field, " DESC"));
                write!(order, " ORDER BY {field}{direction}, id LIMIT 20").ok()?;
            }
            let Some((field, word)) = name.split_once('[') else { continue };
            let operator = match word.trim_end_matches(']') {
                "eq" => "=",
                "ne" => "IS DISTINCT FROM",
                "gt" => ">",
                "gte" => ">=",
                "lt" => "<",
                _ => "<=",
            };
            let kind = match field {
                "name" => "text",
                "born" => "date",
                "weight_kg" => "double precision",
                _ => "bigint",
            };
            values.push(value.replace("%20", " "));
            let number = values.len() + 1;
            write!(text, " AND {field} {operator} CAST(${number}::text AS {kind})").ok()?;
        }
        text.push_str(&order);
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&zoo];
        all.extend(values.iter().map(|value| value as &(dyn ToSql + Sync)));
        self.client.query(&text, &all).await.ok()
    }

    async fn member(&self, zoo: &str, id: &str) -> Option<String> {
        let (zoo, id) = (zoo.parse::<i64>().ok()?, id.parse::<i64>().ok()?);
        one(&self.client.query_opt(&self.member, &[&zoo, &id]).await.ok()??)
    }

    async fn insert(&self, zoo: &str, body: &[u8]) -> Option<String> {
        let given: serde_json::Value = serde_json::from_slice(body).ok()?;
        let (zoo, name) = (zoo.parse::<i64>().ok()?, given["name"].as_str()?);
        let (kind, weight) = (given["animal_type_id"].as_i64(), given["weight_kg"].as_f64());
        let born = given["born"].as_str();
        let values: [&(dyn ToSql + Sync); 5] = [&zoo, &name, &kind, &weight, &born];
        one(&self.client.query_one(&self.insert, &values).await.ok()?)
    }

    async fn update(&self, id: &str, body: &[u8]) -> Option<String> {
        let given: serde_json::Value = serde_json::from_slice(body).ok()?;
        let (id, weight) = (id.parse::<i64>().ok()?, given["weight_kg"].as_f64());
        let row = self.client.query_one(&self.update, &[&id, &weight]).await;
        one(&row.ok()?)
    }
}

fn page(rows: &[Row], (zoo, query): (i64, &str), limit: i64, count: Option<i64>) -> Option<String> {
    let mut json = String::with_capacity(4096);
    json.push_str("{\"items\":[");
    for (at, row) in rows.iter().enumerate() {
        json.push_str(if at == 0 { "" } else { "," });
        animal(&mut json, row)?;
    }
    let path = format!("/zoos/{zoo}/animals?{query}");
    write!(json, "],\"links\":{{\"self\":\"{path}\"}},\"limit\":{limit}").ok()?;
    if let Some(count) = count {
        write!(json, ",\"total\":{count}").ok()?;
    }
    json.push('}');
    Some(json)
}

fn one(row: &Row) -> Option<String> {
    let mut json = String::with_capacity(256);
    animal(&mut json, row)?;
    Some(json)
}

fn animal(json: &mut String, row: &Row) -> Option<()> {
    write!(
        json,
        "{{\"id\":{},\"zoo_id\":{},\"name\":{},\"animal_type_id\":{},\"weight_kg\":{},\"born\":{},\"created_at\":\"{}\",\"updated_at\":\"{}\"}}",
        row.get::<_, i64>(0),
        row.get::<_, i64>(1),
        text(row.get(2)),
        or_null(row.get::<_, Option<i64>>(3)),
        or_null(row.get::<_, Option<f64>>(4)),
        day(row, 5),
        moment(row, 6),
        moment(row, 7),
    )
    .ok()
}

fn text(value: Option<&str>) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

fn or_null(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "null".into(), |value| value.to_string())
}

/// The bytes of a date (days) or a time (microseconds) since the year 2000.
struct Since2000(i64);

impl<'r> FromSql<'r> for Since2000 {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match raw.len() {
            4 => Ok(Self(i32::from_be_bytes(raw.try_into()?).into())),
            _ => Ok(Self(i64::from_be_bytes(raw.try_into()?))),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn day(row: &Row, at: usize) -> String {
    let day = row.get::<_, Option<Since2000>>(at).map(|days| {
        civil::date(2000, 1, 1).saturating_add(SignedDuration::from_hours(24 * days.0))
    });
    day.map_or_else(|| "null".into(), |day| format!("\"{day}\""))
}

fn moment(row: &Row, at: usize) -> String {
    let Since2000(micros) = row.get(at);
    let moment = Timestamp::from_microsecond(micros + 946_684_800_000_000).unwrap_or_default();
    format!("{moment:.6}")
}
