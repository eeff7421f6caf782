//! A server written by hand with hyper and rusqlite, only for the zoo. Its response bodies have the
//! same bytes as those of Nouns. It measures the least time that such a server needs.
//!
//! Each read runs on the worker thread that received the request, with a prepared statement in
//! autocommit mode. Each write is a transaction of its own, and a mutex serializes the writes.
//!
//! The server has no validation, no conditional requests, no format negotiation and no log. Its
//! database is a copy with the same indexes and the same durability (`synchronous = FULL`). Its WAL
//! reaches the same size before a checkpoint.

use std::{
    cell::RefCell,
    convert::Infallible,
    io::{self, Write as _},
    num::NonZero,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rusqlite::{Connection, Row, Rows};

use crate::{child, hello};

/// The columns of the tables `zoos` and `animals`, in the order of their JSON members.
const ZOO: &str = "id, name, city, opened, created_at, updated_at";
const ANIMAL: &str = "id, zoo_id, name, animal_type_id, weight_kg, born, created_at, updated_at";

type Answer = Result<Response<Full<Bytes>>, Infallible>;

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

/// Serves the database at `path` until the process is killed. Each core has a runtime, a listener
/// and a read connection.
pub(crate) fn serve(path: &Path) -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN).get();
    let (address, listeners) = hello::listeners(workers)?;
    let writer = Arc::new(Mutex::new(open(path)?));
    child::announce(address);
    let start = |listener| {
        let (path, writer) = (path.to_owned(), Arc::clone(&writer));
        thread::spawn(move || work(listener, &path, &writer))
    };
    let threads: Vec<_> = listeners.into_iter().map(start).collect();
    threads
        .into_iter()
        .try_for_each(|thread| thread.join().map_err(|_| io::Error::other("a worker panicked"))?)
}

fn open(path: &Path) -> io::Result<Connection> {
    let connection = Connection::open(path).map_err(io::Error::other)?;
    let set = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 1073741824; PRAGMA foreign_keys = ON; \
               PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 8192";
    connection.execute_batch(set).map_err(io::Error::other)?;
    Ok(connection)
}

fn work(
    listener: std::net::TcpListener,
    path: &Path,
    writer: &Arc<Mutex<Connection>>,
) -> io::Result<()> {
    READER.set(Some(open(path)?));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let writer = Arc::clone(writer);
            let service = service_fn(move |request| answer(request, Arc::clone(&writer)));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(connection);
        }
    })
}

async fn answer(request: Request<Incoming>, writer: Arc<Mutex<Connection>>) -> Answer {
    let (head, body) = request.into_parts();
    let path: Vec<&str> = head.uri.path().split('/').skip(1).collect();
    let json = match (&head.method, path.as_slice()) {
        (&Method::GET, ["zoos", id]) => read(|connection| zoo(connection, id)),
        (&Method::GET, ["zoos", zoo, "animals"]) => {
            let query = head.uri.query().unwrap_or_default();
            read(|connection| animals(connection, zoo, query))
        }
        (&Method::GET, ["animals"]) => read(first_animals),
        (&Method::POST, ["zoos"]) => match body.collect().await {
            Ok(body) => insert_zoo(&writer, &body.to_bytes()),
            Err(_) => None,
        },
        (&Method::POST, ["zoos", zoo, "animals"]) => match body.collect().await {
            Ok(body) => insert(&writer, zoo, &body.to_bytes()),
            Err(_) => None,
        },
        (&Method::PATCH, ["zoos", _, "animals", id]) => match body.collect().await {
            Ok(body) => update(&writer, id, &body.to_bytes()),
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

fn read(work: impl FnOnce(&Connection) -> rusqlite::Result<Vec<u8>>) -> Option<Vec<u8>> {
    READER.with_borrow(|reader| reader.as_ref().and_then(|reader| work(reader).ok()))
}

fn zoo(connection: &Connection, id: &str) -> rusqlite::Result<Vec<u8>> {
    let text = format!("SELECT {ZOO} FROM zoos WHERE id = ?1");
    connection.prepare_cached(&text)?.query_row([id.parse::<i64>().unwrap_or_default()], |row| {
        let mut json = Vec::with_capacity(256);
        object(&mut json, row, ZOO)?;
        Ok(json)
    })
}

/// Returns the JSON of the first hundred animals.
fn first_animals(connection: &Connection) -> rusqlite::Result<Vec<u8>> {
    let text = format!("SELECT {ANIMAL} FROM animals ORDER BY id LIMIT 100");
    let mut statement = connection.prepare_cached(&text)?;
    let mut json = b"{\"items\":".to_vec();
    array(&mut json, statement.query(())?)?;
    json.extend_from_slice(
        b",\"links\":{\"self\":\"/animals?limit=100&sortby=id\"},\"limit\":100}",
    );
    Ok(json)
}

/// Returns the JSON of a zoo's animals. It supports only the two query strings of the load.
fn animals(connection: &Connection, zoo: &str, query: &str) -> rusqlite::Result<Vec<u8>> {
    let of = |name: &str| {
        let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        pair.and_then(|value| value.parse::<i64>().ok())
    };
    let (limit, kind) = (of("limit").unwrap_or(20), of("animal_type_id"));
    let text = match kind {
        Some(_) => format!(
            "SELECT {ANIMAL} FROM animals WHERE zoo_id = ?1 AND animal_type_id = ?3 ORDER BY name, id LIMIT ?2"
        ),
        None => format!(
            "SELECT {ANIMAL} FROM animals WHERE zoo_id = ?1 AND ?3 IS NULL ORDER BY name, id LIMIT ?2"
        ),
    };
    let mut statement = connection.prepare_cached(&text)?;
    let mut json = b"{\"items\":".to_vec();
    array(&mut json, statement.query((zoo.parse::<i64>().unwrap_or_default(), limit, kind))?)?;
    write!(json, ",\"links\":{{\"self\":\"/zoos/{zoo}/animals?{query}\"}},\"limit\":{limit}}}")
        .ok();
    Ok(json)
}

fn array(json: &mut Vec<u8>, mut rows: Rows<'_>) -> rusqlite::Result<()> {
    json.push(b'[');
    while let Some(row) = rows.next()? {
        if !json.ends_with(b"[") {
            json.push(b',');
        }
        object(json, row, ANIMAL)?;
    }
    json.push(b']');
    Ok(())
}

fn object(json: &mut Vec<u8>, row: &Row<'_>, names: &str) -> rusqlite::Result<()> {
    use rusqlite::types::ValueRef;
    for (at, name) in names.split(", ").enumerate() {
        json.extend_from_slice(if at == 0 { b"{\"" } else { b",\"" });
        json.extend_from_slice(name.as_bytes());
        json.extend_from_slice(b"\":");
        match row.get_ref(at)? {
            ValueRef::Integer(value) => serde_json::to_writer(&mut *json, &value).ok(),
            ValueRef::Real(value) => serde_json::to_writer(&mut *json, &value).ok(),
            ValueRef::Text(text) => {
                serde_json::to_writer(&mut *json, &String::from_utf8_lossy(text)).ok()
            }
            _ => json.write_all(b"null").ok(),
        };
    }
    json.push(b'}');
    Ok(())
}

const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

fn insert(writer: &Mutex<Connection>, zoo: &str, body: &[u8]) -> Option<Vec<u8>> {
    let given: serde_json::Value = serde_json::from_slice(body).ok()?;
    let text = format!(
        "INSERT INTO animals (zoo_id, name, animal_type_id, weight_kg, born, created_at, updated_at, revision) \
         VALUES (?1, ?2, ?3, ?4, ?5, {NOW}, {NOW}, 0) RETURNING {ANIMAL}"
    );
    let values = (
        zoo.parse::<i64>().ok()?,
        given["name"].as_str()?,
        given["animal_type_id"].as_i64()?,
        given["weight_kg"].as_f64(),
        given["born"].as_str(),
    );
    written(writer, &text, values, ANIMAL)
}

fn insert_zoo(writer: &Mutex<Connection>, body: &[u8]) -> Option<Vec<u8>> {
    let given: serde_json::Value = serde_json::from_slice(body).ok()?;
    let text = format!(
        "INSERT INTO zoos (name, city, opened, created_at, updated_at, revision) \
         VALUES (?1, ?2, ?3, {NOW}, {NOW}, 0) RETURNING {ZOO}"
    );
    let values = (given["name"].as_str()?, given["city"].as_str(), given["opened"].as_str());
    written(writer, &text, values, ZOO)
}

fn update(writer: &Mutex<Connection>, id: &str, body: &[u8]) -> Option<Vec<u8>> {
    let given: serde_json::Value = serde_json::from_slice(body).ok()?;
    let text = format!(
        "UPDATE animals SET weight_kg = ?2, updated_at = {NOW} WHERE id = ?1 RETURNING {ANIMAL}"
    );
    written(writer, &text, (id.parse::<i64>().ok()?, given["weight_kg"].as_f64()), ANIMAL)
}

/// Executes a write in its own transaction, which is on disk before the response. Returns the JSON
/// of the row, or `None` on an error.
fn written(
    writer: &Mutex<Connection>,
    text: &str,
    values: impl rusqlite::Params,
    names: &str,
) -> Option<Vec<u8>> {
    let connection = writer.lock().unwrap_or_else(PoisonError::into_inner);
    let mut statement = connection.prepare_cached(text).ok()?;
    let mut rows = statement.query(values).ok()?;
    let mut json = Vec::with_capacity(256);
    object(&mut json, rows.next().ok()??, names).ok()?;
    // In autocommit mode, the statement commits after its last row was read.
    while rows.next().ok()?.is_some() {}
    Some(json)
}
