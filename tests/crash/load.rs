//! The load of one client: every kind of write, on members that no other client changes. So the
//! expected state is known. It is the state after the last acknowledged write, or after the write
//! in progress.

use std::{io, sync::Arc};

use nouns::__runtime::plan::TagCipher;
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, Request},
    random::Random,
    state::{Kind, Row, State},
};

/// The number of books above which the client deletes more than it creates.
const BOOKS_MAX: usize = 30;
/// The number of requests that are remembered with their first responses, to be sent again.
const REPEATED_MAX: usize = 4;

/// A client that writes, and the state that it expects.
pub(crate) struct Load {
    pub(crate) name: String,
    pub(crate) state: State,
    /// The request that has no response yet, and the expected state after it.
    pub(crate) pending: Option<(Request, State)>,
    /// Requests with an `Idempotency-Key` that may be sent again, with their first responses.
    pub(crate) repeated: Vec<(Request, Answer)>,
    /// The number of writes that the server acknowledged.
    pub(crate) acknowledged: u64,
    /// Whether books have long texts, so that the WAL grows quickly.
    pub(crate) is_large: bool,
    random: Random,
    serial: u64,
    library: i64,
}

impl Load {
    /// Creates a client, and a library for its members.
    pub(crate) fn new(name: String, random: Random, client: &mut Client) -> Self {
        let request = Request::new("POST", "/libraries".into(), Some(json!({ "name": name })));
        let answer = client.ask(&request).unwrap();
        assert_eq!(answer.status, 201, "{answer:?}");
        let library = answer.body["id"].as_i64().unwrap();
        Self {
            name,
            state: State::default(),
            pending: None,
            repeated: vec![],
            acknowledged: 0,
            is_large: false,
            random,
            serial: 0,
            library,
        }
    }

    /// Sends one random write, and records its response.
    pub(crate) fn write(&mut self, client: &mut Client) -> io::Result<()> {
        let (request, after) = self.next();
        self.pending = Some((request.clone(), after));
        let answer = client.ask(&request)?;
        self.done(&request, &answer);
        Ok(())
    }

    /// Records the response of the pending write. The response must be a success.
    pub(crate) fn done(&mut self, request: &Request, answer: &Answer) {
        assert!((200..300).contains(&answer.status), "{request:?}: {answer:?}");
        let (_, mut after) = self.pending.take().unwrap();
        let items = answer.body.get("items").and_then(Value::as_array);
        let bodies = items.map_or(std::slice::from_ref(&answer.body), Vec::as_slice);
        for body in bodies.iter().filter(|body| body.is_object()) {
            let name = body.get("title").or(body.get("name")).and_then(Value::as_str).unwrap();
            let row = after.0.iter_mut().find(|((_, known), _)| known == name).unwrap().1;
            row.id = body["id"].as_i64();
            row.number = answer.number().filter(|_| items.is_none());
        }
        self.state = after;
        self.acknowledged += 1;
        if request.fields.iter().any(|(name, _)| *name == "idempotency-key") {
            self.repeated.push((request.clone(), answer.clone()));
            self.repeated.drain(..self.repeated.len().saturating_sub(REPEATED_MAX));
        }
    }

    /// Takes over the state that was found in the database after a crash. It must have all
    /// acknowledged writes, and all or nothing of the write in progress.
    pub(crate) fn recover(&mut self, found: State, cipher: &TagCipher) {
        let Some(without) = self.state.difference(&found) else {
            self.state = found;
            return;
        };
        let Some((request, after)) = &self.pending else {
            panic!("{}: an acknowledged write is lost: {without}", self.name)
        };
        if let Some(with) = after.difference(&found) {
            panic!(
                "{}: {request:?} is half committed. Without it: {without}. With it: {with}",
                self.name
            );
        }
        for (key, row) in &found.0 {
            let before = self.state.0.get(key).and_then(|row| row.revision(cipher));
            assert!(
                row.revision(cipher) >= before,
                "the revision of {key:?} is lower than before the crash"
            );
        }
        self.state = found;
    }

    fn next(&mut self) -> (Request, State) {
        self.serial += 1;
        let books = self.state.names(Kind::Book).len();
        if self.state.names(Kind::Shelf).is_empty() || self.random.one_in(25) {
            return self.add(Kind::Shelf, format!("/libraries/{}/shelves", self.library));
        }
        if self.state.names(Kind::Reader).is_empty() || self.random.one_in(25) {
            return self.add(Kind::Reader, "/readers".into());
        }
        if books == 0 {
            return self.add_books(1);
        }
        let full = u64::from(books > BOOKS_MAX);
        match self.random.below(20) + full * 8 {
            0..5 => self.add_books(1),
            5..8 => {
                let count = 2 + self.random.below(11);
                self.add_books(count)
            }
            8..13 => self.merge(),
            13..16 => self.patch(),
            16 | 17 => self.replace(),
            18 | 19 => self.delete(Kind::Book),
            20..24 => self.delete_many(),
            24 | 25 => self.delete(Kind::Reader),
            _ => self.delete(Kind::Shelf),
        }
    }

    fn pick(&mut self, kind: Kind) -> String {
        let names = self.state.names(kind);
        (*self.random.of(&names).expect("the client has a member of this kind")).clone()
    }

    fn add(&mut self, kind: Kind, target: String) -> (Request, State) {
        let name = format!("{}-{}", self.name, self.serial);
        let mut after = self.state.clone();
        let request = Request::new("POST", target, Some(json!({ "name": name })));
        after.0.insert((kind, name), Row::new(Value::Null));
        (request, after)
    }

    fn text(&mut self) -> Value {
        let length = match self.random.below(8) {
            _ if self.is_large => 100_000 + self.random.below(300_000),
            0 => 20_000,
            1..4 => 300,
            4 => 0,
            _ => return Value::Null,
        };
        let word = format!("{} ", self.serial);
        word.repeat(length as usize / word.len()).into()
    }

    /// Creates one book, or an array of several in one request. Half of the requests have an
    /// `Idempotency-Key`.
    fn add_books(&mut self, count: u64) -> (Request, State) {
        let shelf = self.pick(Kind::Shelf);
        let shelf_id = self.state.id(Kind::Shelf, &shelf);
        let mut after = self.state.clone();
        let mut bodies = vec![];
        for at in 0..count {
            let title = format!("{}-{}.{at}", self.name, self.serial);
            let reader = self.random.one_in(2).then(|| self.pick(Kind::Reader));
            let reader_id = reader.as_ref().map(|reader| self.state.id(Kind::Reader, reader));
            let text = if at == 0 { self.text() } else { Value::Null };
            let notes = json!({ "made": self.serial });
            bodies.push(json!({
                "title": title, "copies": at, "reader_id": reader_id, "notes": notes, "text": text,
            }));
            let content = json!({ "shelf": shelf, "copies": at, "reader": reader, "notes": notes, "text": text });
            after.0.insert((Kind::Book, title), Row::new(content));
        }
        let body = if count == 1 { bodies.remove(0) } else { Value::Array(bodies) };
        let target = format!("/libraries/{}/shelves/{shelf_id}/books", self.library);
        let mut request = Request::new("POST", target, Some(body));
        if self.random.one_in(2) {
            request =
                request.with("idempotency-key", format!("{}-{}", self.name, self.random.next()));
        }
        (request, after)
    }

    /// Returns the expected state after a change of a book. The new revision of the book is not
    /// known yet.
    fn changed(&self, title: &str, change: impl FnOnce(&mut Value)) -> State {
        let mut after = self.state.clone();
        let row = after
            .0
            .get_mut(&(Kind::Book, title.to_owned()))
            .expect("the client has a book with this title");
        change(Arc::make_mut(&mut row.content));
        row.number = None;
        after
    }

    fn book(&mut self, method: &'static str, body: Option<Value>, title: &str) -> Request {
        let request =
            Request::new(method, format!("/books/{}", self.state.id(Kind::Book, title)), body);
        match self.state.of(Kind::Book, title).number {
            Some(number) if self.random.one_in(2) => {
                request.with("if-match", format!("\"{number}-json-{:08x}\"", 0))
            }
            _ => request,
        }
    }

    fn merge(&mut self) -> (Request, State) {
        let title = self.pick(Kind::Book);
        let name = format!("merged_{}", self.serial % 5);
        let serial = self.serial;
        let body = json!({ "copies": serial, "notes": { &name: serial } });
        let request = self.book("PATCH", Some(body), &title);
        let after = self.changed(&title, |content| {
            content["copies"] = serial.into();
            content["notes"][&name] = serial.into();
        });
        (request, after)
    }

    fn patch(&mut self) -> (Request, State) {
        let title = self.pick(Kind::Book);
        let copies = self.state.of(Kind::Book, &title).content["copies"].as_u64().unwrap();
        let serial = self.serial;
        let operations = json!([
            { "op": "test", "path": "/copies", "value": copies },
            { "op": "replace", "path": "/copies", "value": copies + 1 },
            { "op": "add", "path": "/notes/patched", "value": serial },
        ]);
        let request = self
            .book("PATCH", Some(operations), &title)
            .with("content-type", "application/json-patch+json".into());
        let after = self.changed(&title, |content| {
            content["copies"] = (copies + 1).into();
            content["notes"]["patched"] = serial.into();
        });
        (request, after)
    }

    fn replace(&mut self) -> (Request, State) {
        let title = self.pick(Kind::Book);
        let (serial, text) = (self.serial, self.text());
        let shelf = self.state.of(Kind::Book, &title).content["shelf"].clone();
        let shelf_id = self.state.id(Kind::Shelf, shelf.as_str().unwrap());
        let body = json!({ "title": title, "copies": serial, "notes": {}, "text": text, "shelf_id": shelf_id });
        let request = self.book("PUT", Some(body), &title);
        let after = self.changed(&title, |content| {
            *content = json!({ "shelf": shelf, "copies": serial, "reader": null, "notes": {}, "text": text });
        });
        (request, after)
    }

    fn delete(&mut self, kind: Kind) -> (Request, State) {
        let name = self.pick(kind);
        let mut after = self.state.clone();
        let id = self.state.id(kind, &name);
        after.0.remove(&(kind, name.clone()));
        let target = match kind {
            Kind::Book => format!("/books/{id}"),
            Kind::Reader => format!("/readers/{id}"),
            Kind::Shelf => format!("/libraries/{}/shelves/{id}", self.library),
        };
        match kind {
            Kind::Book => {}
            Kind::Shelf => after.0.retain(|_, row| row.content["shelf"] != *name),
            Kind::Reader => {
                for row in after.0.values_mut().filter(|row| row.content["reader"] == *name) {
                    Arc::make_mut(&mut row.content)["reader"] = Value::Null;
                    row.number = None;
                }
            }
        }
        (Request::new("DELETE", target, None), after)
    }

    fn delete_many(&mut self) -> (Request, State) {
        let shelf = self.pick(Kind::Shelf);
        let least = self.random.below(6);
        let mut after = self.state.clone();
        after.0.retain(|_, row| {
            row.content["shelf"] != *shelf
                || row.content["copies"].as_u64().is_none_or(|copies| copies < least)
        });
        let (library, id) = (self.library, self.state.id(Kind::Shelf, &shelf));
        let target = format!("/libraries/{library}/shelves/{id}/books?copies%5Bgte%5D={least}");
        (Request::new("DELETE", target, None), after)
    }
}
