//! The first answers to requests that are done once: kept in the transaction of what they report.

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{fault, job::Run};
use crate::{
    base::error::Error,
    http::{http_date::Second, negotiate::Format},
    model::{
        FieldIx, Model,
        def::FieldKind,
        value::{Value, seconds_now},
    },
    plan::{First, Outcome, Refusal, once::Once},
};

/// How many answers that are too old are removed with each new one: so there are never many, and no write waits long.
const SWEPT_MAX: u32 = 16;

/// The first answer to a request with this key, if there is one.
pub(super) fn find(connection: &Connection, model: &Model, once: &Once) -> Result<Option<Outcome>, Error> {
    let text = "SELECT \"request\", \"written\", \"modified\", \"format\", \"content\", \"declaration\" FROM \"_nouns_answers\" \
                WHERE \"scope\" = ?1 AND \"key\" = ?2 AND \"at\" > ?3";
    let kind = model[once.resource][FieldIx::ID].kind;
    let read = |row: &Row<'_>| {
        let request: Vec<u8> = row.get(0)?;
        let is_same = request == once.request;
        Ok(if is_same {
            let shown_now = row.get_ref(5)?.as_str()? == declaration(model);
            read(kind, row)?.map(|first| Outcome::Repeated(if shown_now { first } else { first.bare() }))
        } else {
            Some(Outcome::Refused(Refusal::Reused))
        })
    };
    let found = connection.prepare_cached(text).and_then(|mut statement| {
        statement.query_row((&once.scope, &once.key, oldest(model)), read).optional()
    });
    match found.map_err(|cause| fault::error(&cause))? {
        None => Ok(None),
        Some(Some(outcome)) => Ok(Some(outcome)),
        Some(None) => Err(Error::internal("an answer that was kept cannot be read")),
    }
}

fn read(kind: FieldKind, row: &Row<'_>) -> rusqlite::Result<Option<First>> {
    let (written, modified): (String, Option<u32>) = (row.get(1)?, row.get(2)?);
    let (format, content): (Option<String>, Vec<u8>) = (row.get(3)?, row.get(4)?);
    let format = format.map(|word| Format::worded(&word));
    let made = match format {
        Some(None) => return Ok(None),
        Some(Some(format)) => Some((format, content)),
        None => None,
    };
    let modified = modified.map(|seconds| Second(seconds.into()));
    Ok(read_ids(kind, &written).map(|written| First { written, modified, made }))
}

impl Run<'_> {
    /// The first answer, where the request was done before.
    pub(super) fn repeated(&self) -> Result<Option<Outcome>, Error> {
        let Some(once) = &self.plan.guard.once else { return Ok(None) };
        find(self.handle.connection(), self.model, once)
    }

    /// Keeps what is answered, where it is a success.
    pub(super) fn keep_answer(&self, outcome: &Outcome) -> Result<(), Error> {
        let (Some(once), Outcome::Members { written, modified, .. }) = (&self.plan.guard.once, outcome)
        else {
            return Ok(());
        };
        let (written, modified) = (written.as_slice(), *modified);
        let kept = self.keep(once, (written, modified), self.sink.made());
        kept.map_err(|cause| fault::error(&cause))
    }

    fn keep(
        &self,
        once: &Once,
        (written, modified): (&[(Value, u64)], Option<Second>),
        made: Option<(Format, &[u8])>,
    ) -> rusqlite::Result<()> {
        let sweep = "DELETE FROM \"_nouns_answers\" WHERE rowid IN \
                     (SELECT rowid FROM \"_nouns_answers\" WHERE \"at\" <= ?1 ORDER BY \"at\" LIMIT ?2)";
        let connection = self.handle.connection();
        connection.prepare_cached(sweep)?.execute((oldest(self.model), SWEPT_MAX))?;
        let written = spell_ids(self.model[once.resource][FieldIx::ID].kind, written);
        let modified = modified.map(|second| second.0.cast_signed());
        let (format, content) = made.map_or((None, &[][..]), |(format, made)| (Some(format.word()), made));
        // What has the same key is too old, or it had been found.
        let insert = "INSERT OR REPLACE INTO \"_nouns_answers\" \
                      (\"scope\", \"key\", \"at\", \"request\", \"written\", \"modified\", \"format\", \"content\", \"declaration\") \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let at = seconds_now();
        let declaration = declaration(self.model);
        let values =
            (&once.scope, &once.key, at, once.request, written, modified, format, content, declaration);
        connection.prepare_cached(insert)?.execute(values).map(drop)
    }
}

/// Under which declaration an answer was made: another one may show other fields.
fn declaration(model: &Model) -> String {
    format!("{:016x}", model.fingerprint)
}

/// Ids and revisions as JSON.
fn spell_ids(kind: FieldKind, written: &[(Value, u64)]) -> String {
    let written: Vec<_> = written.iter().map(|(id, revision)| (id.spell(kind), revision)).collect();
    serde_json::to_string(&written).expect("ids and revisions are plain data")
}

fn read_ids(kind: FieldKind, json: &str) -> Option<Vec<(Value, u64)>> {
    let written: Vec<(String, u64)> = serde_json::from_str(json).ok()?;
    written.into_iter().map(|(id, revision)| Some((Value::parse(kind, &id).ok()?, revision))).collect()
}

/// From when an answer is that is kept no longer.
fn oldest(model: &Model) -> i64 {
    seconds_now() - i64::from(model.api.server.idempotency_keep_seconds)
}
