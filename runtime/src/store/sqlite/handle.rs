//! A connection with its prepared statements: one for each shape. A shape is an SQL statement
//! without its values.

mod lists;

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use foldhash::HashMap;
use rusqlite::{Connection, config::DbConfig, hooks::Action};

use self::lists::SqliteRow;
use super::raw::{Effort, PreparedConnection, Slot, StatementRow, WalState};
use crate::{
    model::{Model, value::Value},
    plan::{CallerValues, Shape, Step},
    store::{
        failure::Failure,
        session::Statements,
        sql::{
            self, Dialect,
            parameters::{RunInputs, SqlStatement, StatementParameters},
        },
    },
};

/// The maximum number of prepared statements of shapes that a connection caches. Each statement
/// uses some kilobytes of memory.
const STATEMENTS_MAX: usize = 128;

/// The number of consecutive fast tries after which a shape (statement without values) no longer
/// counts as slow. Workers try slow shapes only while all threads for slow reads are busy. If this
/// number were small, a client could alternate fast and slow reads, and so run its slow reads on
/// workers.
const QUICK_TRIES: u8 = 32;

/// The error of a step that has too few values.
const MISSING: rusqlite::Error = rusqlite::Error::InvalidQuery;

/// A connection with its prepared statements, and with a record of which shapes (statements without
/// values) were slow.
pub(super) struct Handle {
    prepared: PreparedConnection,
    model: Option<Arc<Model>>,
    shapes: HashMap<Shape, ShapeHistory>,
    /// The number of shapes that are slow.
    slow_shapes: usize,
    /// The prepared statements of the store itself, by their SQL texts.
    system_slots: Vec<(&'static str, Slot)>,
    /// The number of uses of shapes (statements without values) until now. Each shape records this
    /// number at its last use. So the least recently used shape can be found.
    uses: u64,
    statements: u32,
    interruptible: Arc<AtomicBool>,
}

/// The prepared statement of a shape, and the speed of its last executions.
struct ShapeHistory {
    slot: Slot,
    parameters: Arc<StatementParameters>,
    /// The number of the last use of the shape.
    last_use: u64,
    /// Whether the last execution of the shape exceeded the time budget of a read on a worker.
    is_slow: bool,
    /// The number of consecutive fast tries of the shape since it was found slow.
    quick_tries: u8,
}

impl Handle {
    /// Creates a handle, and enables SQLite's Query Planner Stability Guarantee (QPSG). With QPSG a
    /// query plan does not depend on bound values. Without QPSG, SQLite prepares a statement again
    /// whenever another LIMIT is bound: <https://sqlite.org/queryplanner-ng.html#qpstab>.
    pub(super) fn new(connection: Connection) -> rusqlite::Result<Self> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let (shapes, keeping) = (HashMap::default(), vec![]);
        Ok(Self {
            prepared: PreparedConnection::new(connection),
            model: None,
            shapes,
            slow_shapes: 0,
            system_slots: keeping,
            uses: 0,
            statements: 0,
            interruptible: Arc::default(),
        })
    }

    pub(super) const fn connection(&self) -> &Connection {
        self.prepared.connection()
    }

    /// The flag that says whether the progress handler may interrupt the running statement.
    pub(super) fn interruptible(&self) -> &AtomicBool {
        &self.interruptible
    }

    /// Sets a function that SQLite calls after every `steps` steps of its virtual machine. If the
    /// function returns true, the running statement is interrupted.
    ///
    /// The function is called only for statements of requests. SQLite counts the steps of a
    /// statement over all of its runs, so the function could interrupt even a COMMIT. The
    /// transaction would stay open, and every later BEGIN would fail.
    pub(super) fn watch(
        &mut self,
        steps: i32,
        mut must_end: impl FnMut() -> bool + Send + 'static,
    ) -> rusqlite::Result<()> {
        let interruptible = Arc::clone(&self.interruptible);
        self.prepared.watch(steps, move || interruptible.load(Ordering::Relaxed) && must_end())
    }

    /// Finds the memory-mapped WAL index. The connection must have read from the database before.
    pub(super) fn find_wal_index(&mut self) {
        self.prepared.find_wal_index();
    }

    /// The current state of the WAL. Every commit of every process changes the state. `None` if
    /// there is no WAL.
    pub(super) fn wal_state(&self) -> Option<WalState> {
        self.prepared.wal_state()
    }

    /// Sets a function that is called for each row that a statement inserts, updates or deletes.
    /// `None` removes the function.
    pub(super) fn note_rows(
        &mut self,
        callback: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> rusqlite::Result<()> {
        self.prepared.note_rows(callback)
    }

    /// The value of a counter (`sqlite3_stmt_status`) of a shape's statement, over all of its runs.
    #[cfg(test)]
    pub(super) fn counted(&self, shape: &Shape, which: rusqlite::StatementStatus) -> u32 {
        self.prepared.counted(self.shapes[shape].slot, which)
    }

    /// The sum of the efforts (visited rows and virtual machine steps) of the shapes' statements,
    /// over all of their runs.
    pub(super) fn effort<'s>(&self, shapes: impl Iterator<Item = &'s Shape>) -> Effort {
        let histories = shapes.filter_map(|shape| self.shapes.get(shape));
        histories
            .map(|history| self.prepared.effort(history.slot))
            .fold(Effort::default(), Effort::and)
    }

    #[cfg(test)]
    pub(super) fn knows(&self, shape: &Shape) -> bool {
        self.shapes.contains_key(shape)
    }

    /// Whether the last execution of a shape exceeded the time budget of a read on a worker. False
    /// for an unknown shape.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        self.slow_shapes > 0 && self.shapes.get(shape).is_some_and(|history| history.is_slow)
    }

    /// Records whether a shape is slow, and resets the count of its fast tries.
    pub(super) fn note(&mut self, shape: &Shape, is_slow: bool) {
        if let Some(history) = self.shapes.get_mut(shape) {
            history.quick_tries = 0;
            let was_slow = mem::replace(&mut history.is_slow, is_slow);
            self.slow_shapes += usize::from(is_slow);
            self.slow_shapes -= usize::from(was_slow);
        }
    }

    /// Records that a worker has tried a slow shape, and that the try was fast. After `QUICK_TRIES`
    /// fast tries the shape no longer counts as slow.
    pub(super) fn note_quick_try(&mut self, shape: &Shape) {
        if let Some(history) = self.shapes.get_mut(shape) {
            history.quick_tries += 1;
            if history.quick_tries >= QUICK_TRIES {
                self.note(shape, false);
            }
        }
    }

    /// Runs a plan step whose statement returns no rows. Returns the number of changed rows.
    pub(super) fn execute(
        &mut self,
        model: &Arc<Model>,
        step: &Step,
        caller: &CallerValues,
    ) -> rusqlite::Result<u64> {
        let (slot, parameters) = self.slot(model, &step.shape)?;
        self.statements += 1;
        let _interruptible = InterruptWindow::new(&self.interruptible);
        let values = parameters.bound(caller, step.into()).ok_or(MISSING)?;
        self.prepared.execute(slot, values)
    }

    /// Runs an SQL text for which there is no shape, as a statement of a request: a progress
    /// handler may interrupt it. The prepared statement is not cached.
    pub(super) fn run<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.prepared.prepare(text)?;
        self.statements += 1;
        let interruptible = InterruptWindow::new(&self.interruptible);
        let result = self.prepared.rows(slot, values, row);
        drop(interruptible);
        self.prepared.forget(slot);
        result
    }

    /// Runs a statement of the store itself. The progress handler never interrupts such a
    /// statement.
    pub(super) fn run_system(&mut self, text: &'static str) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.execute(slot, []).map(drop)
    }

    /// Runs a query of the store itself. Passes the rows to `row` until `row` returns false. The
    /// progress handler never interrupts the query.
    pub(super) fn ask(
        &mut self,
        text: &'static str,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.rows(slot, [], row)
    }

    /// Empties the page cache of the connection. Otherwise a page from a damaged file would stay in
    /// the cache even after the file was repaired.
    pub(super) fn forget_pages(&mut self) {
        if let Err(cause) = self.run_system("PRAGMA shrink_memory") {
            tracing::debug!(%cause, "the page cache was not emptied");
        }
    }

    fn keeper(&mut self, text: &'static str) -> rusqlite::Result<Slot> {
        if let Some((_, slot)) = self.system_slots.iter().find(|(other, _)| *other == text) {
            return Ok(*slot);
        }
        let slot = self.prepared.prepare(text)?;
        self.system_slots.push((text, slot));
        Ok(slot)
    }

    /// The slot of a shape's prepared statement, and its parameters. The statement is prepared if
    /// it is not cached yet. If the model is not the one of the last call, all cached statements
    /// are discarded, since the tables may differ.
    fn slot(
        &mut self,
        model: &Arc<Model>,
        shape: &Shape,
    ) -> rusqlite::Result<(Slot, Arc<StatementParameters>)> {
        self.uses += 1;
        if !self.model.as_ref().is_some_and(|current| Arc::ptr_eq(current, model)) {
            self.shapes.drain().for_each(|(_, history)| self.prepared.forget(history.slot));
            self.slow_shapes = 0;
            self.model = Some(Arc::clone(model));
        }
        if let Some(history) = self.shapes.get_mut(shape) {
            history.last_use = self.uses;
            return Ok((history.slot, Arc::clone(&history.parameters)));
        }
        if self.shapes.len() >= STATEMENTS_MAX {
            self.forget_one();
        }
        let SqlStatement { text, parameters } = sql::statement(shape, model, Dialect::Sqlite);
        let (slot, parameters) = (self.prepared.prepare(&text)?, Arc::new(parameters));
        let history = ShapeHistory {
            slot,
            parameters: Arc::clone(&parameters),
            last_use: self.uses,
            is_slow: false,
            quick_tries: 0,
        };
        self.shapes.insert(shape.clone(), history);
        Ok((slot, parameters))
    }

    /// Discards the least recently used shape and its statement. The linear search costs less than
    /// preparing the new statement.
    fn forget_one(&mut self) {
        let oldest = self.shapes.iter().min_by_key(|(_, history)| history.last_use);
        let Some(shape) = oldest.map(|(shape, _)| shape.clone()) else { return };
        if let Some(history) = self.shapes.remove(&shape) {
            self.slow_shapes -= usize::from(history.is_slow);
            self.prepared.forget(history.slot);
        }
    }
}

impl Statements for Handle {
    type Row<'r> = SqliteRow<'r>;

    const DIALECT: Dialect = Dialect::Sqlite;

    fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        row: impl FnMut(&SqliteRow<'_>) -> bool,
    ) -> Result<(), Failure> {
        Ok(self.rows(model, shape, caller, inputs, row)?)
    }

    fn query_statement<'v>(
        &mut self,
        statement: &'v SqlStatement,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        mut row: impl FnMut(&SqliteRow<'_>) -> bool,
    ) -> Result<(), Failure> {
        let values = statement.parameters.bound(caller, inputs).ok_or(MISSING)?;
        Ok(self.run(&statement.text, values, |found| row(&SqliteRow::plain(found)))?)
    }

    fn take_count(&mut self) -> u32 {
        mem::take(&mut self.statements)
    }
}

/// A guard for the time in which a statement of a request runs and may be interrupted. Dropping the
/// guard marks the end of that time.
pub(super) struct InterruptWindow<'h>(&'h AtomicBool);

impl<'h> InterruptWindow<'h> {
    pub(super) fn new(flag: &'h AtomicBool) -> Self {
        flag.store(true, Ordering::Relaxed);
        Self(flag)
    }
}

impl Drop for InterruptWindow<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
