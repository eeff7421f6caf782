//! [`Bed`], a test bed: an API with hooks and its own store, called without a network. The file
//! also declares two resources that the tests of hooks use.

use std::sync::Arc;

use http::{HeaderMap, Request};
use nouns_runtime::{
    Api, Body, Id, Model, Patch, Service, Store,
    store::{StoreOptions, Synchronous},
    v1,
};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::database::TestDatabase;

/// A test bed: the store of an API, and the service that serves the API.
pub(crate) struct Bed {
    pub(crate) folder: TempDir,
    pub(crate) database: TestDatabase,
    pub(crate) service: Service,
    pub(crate) store: Store,
}

/// An HTTP response to a test, with its body as JSON.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) json: Json,
}

impl Bed {
    pub(crate) fn new(api: Api) -> Self {
        Self::of(&api.build().unwrap())
    }

    pub(crate) fn of(model: &Arc<Model>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = TestDatabase::new(folder.path().join("zoo.db"));
        let options = StoreOptions::new(database.location()).synchronous(Synchronous::Normal);
        let (store, _) = Store::open(model, &options).unwrap();
        Self { folder, database, service: Service::new(store.clone()), store }
    }

    /// Sends a request. `line` is the method and the path, such as `GET /zoos`.
    pub(crate) async fn ask_with(
        &self,
        line: &str,
        body: &str,
        fields: &[(&str, &str)],
    ) -> Answered {
        let (method, uri) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let reply =
            self.service.reply(request.body(Body::from(body.as_bytes().to_vec())).unwrap()).await;
        let json = match &reply.body {
            Body::Full(bytes) => serde_json::from_slice(bytes).unwrap_or(Json::Null),
            _ => Json::Null,
        };
        Answered { status: reply.status.as_u16(), headers: reply.headers, json }
    }

    pub(crate) async fn ask(&self, line: &str, body: &str) -> Answered {
        self.ask_with(line, body, &[]).await
    }

    /// Sends a request, and returns the status of the response and the `detail` of a problem.
    pub(crate) async fn status(&self, line: &str, body: &str) -> (u16, String) {
        let answered = self.ask(line, body).await;
        (answered.status, answered.json["detail"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns the field `what` of all records of changes, in the order of their creation.
    pub(crate) async fn audits(&self) -> Vec<String> {
        let audits = self.ask("GET /audits?sortby=id&limit=100", "").await.json;
        audits["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["what"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// The record of a change. Hooks in these tests create records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Audit {
    pub(crate) id: Id<Self>,
    pub(crate) what: String,
}

/// The values of a new record.
#[derive(Clone, Debug)]
pub(crate) struct NewAudit {
    pub(crate) what: String,
}

/// A patch of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditPatch {
    pub(crate) what: Patch<String>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        fields: &[v1::FieldDef {
            required: true,
            unique: true,
            ..v1::FieldDef::new("what", v1::FieldKind::String)
        }],
        ..v1::ResourceDef::new("audit", "audits", "Audit")
    };

    impl v1::HasId for Audit {
        const RESOURCE: &'static str = "audit";
        type Key = i64;
    }

    impl v1::Resource for Audit {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[];
        type Parent = v1::NoParent;
        type New = NewAudit;
        type Patch = AuditPatch;
        type Fields = ();
        const FIELDS: () = ();
    }

    impl v1::SlotRecord for Audit {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self { id: v1::FieldType::take(slots, 0)?, what: v1::FieldType::take(slots, 1)? })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.what);
        }
    }

    impl v1::SlotRecord for NewAudit {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self { what: v1::FieldType::take(slots, 1)? })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 1, self.what);
        }
    }

    impl v1::SlotRecord for AuditPatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self { what: v1::FieldType::take_patch(slots, 1)? })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 1, self.what);
        }
    }
};

/// A note, whose id the client chooses. The field `secret` is hidden; `author` can be set only
/// once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) id: Id<Self>,
    pub(crate) text: String,
    pub(crate) secret: Option<String>,
    pub(crate) author: String,
    pub(crate) stars: Option<i64>,
}

/// The values of a new note.
#[derive(Clone, Debug)]
pub(crate) struct NewNote {
    pub(crate) id: Id<Note>,
    pub(crate) text: String,
    pub(crate) secret: Option<String>,
    pub(crate) author: String,
    pub(crate) stars: Option<i64>,
}

/// A patch of a note.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotePatch {
    pub(crate) text: Patch<String>,
    pub(crate) secret: Patch<Option<String>>,
    pub(crate) author: Patch<String>,
    pub(crate) stars: Patch<Option<i64>>,
}

const _: () = {
    static DEF: v1::ResourceDef = v1::ResourceDef {
        id: v1::IdKind::String,
        fields: &[
            v1::FieldDef {
                required: true,
                max_length: Some(10),
                ..v1::FieldDef::new("text", v1::FieldKind::String)
            },
            v1::FieldDef {
                mode: v1::FieldMode::Hidden,
                ..v1::FieldDef::new("secret", v1::FieldKind::String)
            },
            v1::FieldDef {
                required: true,
                mode: v1::FieldMode::CreateOnly,
                ..v1::FieldDef::new("author", v1::FieldKind::String)
            },
            v1::FieldDef {
                default: Some(v1::DefaultDef::Value(v1::Literal::Integer(3))),
                ..v1::FieldDef::new("stars", v1::FieldKind::Integer)
            },
        ],
        methods: v1::Operations::of(&v1::Operation::ALL),
        timestamps: false,
        ..v1::ResourceDef::new("note", "notes", "Note")
    };

    impl v1::HasId for Note {
        const RESOURCE: &'static str = "note";
        type Key = String;
    }

    impl v1::Resource for Note {
        const DEF: &'static v1::ResourceDef = &DEF;
        const TYPES: &'static [&'static v1::TypeDef] = &[];
        const NEIGHBOURS: &'static [&'static v1::ResourceDef] = &[];
        type Parent = v1::NoParent;
        type New = NewNote;
        type Patch = NotePatch;
        type Fields = ();
        const FIELDS: () = ();
    }

    impl v1::SlotRecord for Note {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                text: v1::FieldType::take(slots, 1)?,
                secret: v1::FieldType::take(slots, 2)?,
                author: v1::FieldType::take(slots, 3)?,
                stars: v1::FieldType::take(slots, 4)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.text);
            v1::FieldType::put(slots, 2, self.secret);
            v1::FieldType::put(slots, 3, self.author);
            v1::FieldType::put(slots, 4, self.stars);
        }
    }

    impl v1::SlotRecord for NewNote {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                id: v1::FieldType::take(slots, 0)?,
                text: v1::FieldType::take(slots, 1)?,
                secret: v1::FieldType::take_optional(slots, 2)?,
                author: v1::FieldType::take(slots, 3)?,
                stars: v1::FieldType::take_optional(slots, 4)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put(slots, 0, self.id);
            v1::FieldType::put(slots, 1, self.text);
            v1::FieldType::put_optional(slots, 2, self.secret);
            v1::FieldType::put(slots, 3, self.author);
            v1::FieldType::put_optional(slots, 4, self.stars);
        }
    }

    impl v1::SlotRecord for NotePatch {
        fn read(slots: &mut v1::Slots<'_>) -> Result<Self, v1::UnreadableValue> {
            Ok(Self {
                text: v1::FieldType::take_patch(slots, 1)?,
                secret: v1::FieldType::take_patch(slots, 2)?,
                author: v1::FieldType::take_patch(slots, 3)?,
                stars: v1::FieldType::take_patch(slots, 4)?,
            })
        }
        fn write(self, slots: &mut v1::Slots<'_>) {
            v1::FieldType::put_patch(slots, 1, self.text);
            v1::FieldType::put_patch(slots, 2, self.secret);
            v1::FieldType::put_patch(slots, 3, self.author);
            v1::FieldType::put_patch(slots, 4, self.stars);
        }
    }
};
