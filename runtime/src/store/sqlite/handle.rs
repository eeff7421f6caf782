//! A connection with the texts of its statements, which are made once per shape.

use std::sync::Arc;

use ahash::AHashMap;
use rusqlite::{Connection, config::DbConfig};

use super::{
    bind::{Bound, Fetched},
    fault,
};
use crate::{
    model::Model,
    plan::{Shape, Step},
    sql::{self, Dialect},
    value::Value,
};

/// How many texts, and how many prepared statements, a connection keeps: each costs some kilobytes.
const STATEMENTS_MAX: usize = 128;

/// A connection with the texts of its statements.
pub(super) struct Handle {
    pub(super) connection: Connection,
    model: Option<Arc<Model>>,
    texts: AHashMap<Shape, Text>,
    statements: u32,
}

/// What is known of a shape.
struct Text {
    text: Arc<str>,
    /// Whether it took longer than a worker may, the last time.
    is_slow: bool,
}

impl Handle {
    /// A plan must not depend on what is bound, or SQLite prepares a statement with a bound LIMIT anew every time:
    /// <https://sqlite.org/queryplanner-ng.html#qpstab>.
    pub(super) fn new(connection: Connection) -> rusqlite::Result<Self> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        Ok(Self { connection, model: None, texts: AHashMap::new(), statements: 0 })
    }

    /// How many statements of shapes were run since the last time this was asked.
    pub(super) fn take_statements(&mut self) -> u32 {
        std::mem::take(&mut self.statements)
    }

    /// Runs a shape with values, and shows its rows until one returns false.
    pub(super) fn rows<'v>(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&Fetched<'_, '_>) -> bool,
    ) -> rusqlite::Result<()> {
        let text = self.text(model, shape);
        self.run(&text, values, row).inspect_err(|cause| {
            if fault::is_interrupt(fault::code(cause)) {
                self.note(shape, true);
            }
        })
    }

    /// Whether a shape took longer than a worker may, the last time.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        self.texts.get(shape).is_some_and(|text| text.is_slow)
    }

    /// Notes whether it did.
    pub(super) fn note(&mut self, shape: &Shape, is_slow: bool) {
        if let Some(text) = self.texts.get_mut(shape) {
            text.is_slow = is_slow;
        }
    }

    /// Runs a step that returns no rows, and says how many it changed.
    pub(super) fn execute(&mut self, model: &Arc<Model>, step: &Step) -> rusqlite::Result<u64> {
        let text = self.text(model, &step.shape);
        self.statements += 1;
        let mut statement = self.connection.prepare_cached(&text)?;
        bind(&mut statement, &step.values)?;
        statement.raw_execute().map(|changed| changed as u64)
    }

    /// Whether a shape finds anything, with these values.
    pub(super) fn finds(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
        values: &[Value],
    ) -> rusqlite::Result<bool> {
        let mut found = false;
        self.rows(model, shape, values, |_| {
            found = true;
            false
        })?;
        Ok(found)
    }

    /// Runs a text that has no shape, as a statement of the request.
    pub(super) fn run<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        mut row: impl FnMut(&Fetched<'_, '_>) -> bool,
    ) -> rusqlite::Result<()> {
        self.statements += 1;
        let mut statement = self.connection.prepare_cached(text)?;
        bind(&mut statement, values)?;
        let mut rows = statement.raw_query();
        while let Some(fetched) = rows.next()? {
            if !row(&Fetched(fetched)) {
                break;
            }
        }
        Ok(())
    }

    /// Runs a text that keeps the store itself.
    pub(super) fn keep(&self, text: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(text)?.raw_execute().map(drop)
    }

    /// The text of a shape; a new model begins anew, since its tables may be others.
    fn text(&mut self, model: &Arc<Model>, shape: &Shape) -> Arc<str> {
        if !self.model.as_ref().is_some_and(|known| Arc::ptr_eq(known, model)) {
            self.texts.clear();
            self.connection.flush_prepared_statement_cache();
            self.model = Some(Arc::clone(model));
        }
        if let Some(text) = self.texts.get(shape) {
            return Arc::clone(&text.text);
        }
        if self.texts.len() >= STATEMENTS_MAX {
            self.texts.clear();
        }
        let text: Arc<str> = sql::text(shape, model, Dialect::Sqlite).into();
        self.texts.insert(shape.clone(), Text { text: Arc::clone(&text), is_slow: false });
        text
    }
}

fn bind<'v>(
    statement: &mut rusqlite::Statement<'_>,
    values: impl IntoIterator<Item = &'v Value>,
) -> rusqlite::Result<()> {
    (1..).zip(values).try_for_each(|(at, value): (usize, _)| statement.raw_bind_parameter(at, Bound(value)))
}
