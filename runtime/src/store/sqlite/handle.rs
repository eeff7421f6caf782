//! A connection with its prepared statements, one per shape.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use ahash::AHashMap;
use rusqlite::{Connection, config::DbConfig, hooks::Action};

use super::{
    fault,
    raw::{Effort, Prepared, Slot, StatementRow, WalState},
};
use crate::{
    model::{Model, RuleSet, value::Value},
    plan::{Shape, Step},
    store::{
        failure::Failure,
        session::Statements,
        sql::{self, Dialect, values::RuledValues},
    },
};

/// The number of statements of shapes that a connection caches. Each costs some kilobytes.
const STATEMENTS_MAX: usize = 128;

/// The number of fast tries in a row after which a shape no longer counts as slow while the slow
/// lane is busy. Otherwise a client that alternates fast and slow reads could run its slow ones
/// outside of the time for tries.
const QUICK_TRIES: u8 = 32;

/// A connection with its prepared statements.
pub(super) struct Handle {
    prepared: Prepared,
    model: Option<Arc<Model>>,
    shapes: AHashMap<Shape, ShapeHistory>,
    /// Statements of the store itself, by their texts.
    system_slots: Vec<(&'static str, Slot)>,
    /// A counter of the uses of shapes. It tells which shape was used least recently.
    asked: u64,
    statements: u32,
    interruptible: Arc<AtomicBool>,
}

/// The statement of a shape, and what is known of its speed.
struct ShapeHistory {
    slot: Slot,
    asked: u64,
    /// Whether it exceeded the time of a worker, the last time.
    is_slow: bool,
    /// The number of consecutive fast executions since the last slow one.
    quick_tries: u8,
}

impl Handle {
    /// Enables QPSG: a plan must not depend on bound values. Otherwise SQLite prepares a statement
    /// with a bound LIMIT again every time: <https://sqlite.org/queryplanner-ng.html#qpstab>.
    pub(super) fn new(connection: Connection) -> rusqlite::Result<Self> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let (shapes, keeping) = (AHashMap::new(), vec![]);
        Ok(Self {
            prepared: Prepared::new(connection),
            model: None,
            shapes,
            system_slots: keeping,
            asked: 0,
            statements: 0,
            interruptible: Arc::default(),
        })
    }

    pub(super) const fn connection(&self) -> &Connection {
        self.prepared.connection()
    }

    /// Sets a function that SQLite calls after every `steps` steps of its virtual machine. If it
    /// returns true, the statement is interrupted.
    ///
    /// It is called only for statements of requests. SQLite counts the steps of a statement over
    /// all of its runs, so it could interrupt even COMMIT. A transaction that cannot end would make
    /// every later one fail.
    pub(super) fn watch(
        &mut self,
        steps: i32,
        mut asked: impl FnMut() -> bool + Send + 'static,
    ) -> rusqlite::Result<()> {
        let interruptible = Arc::clone(&self.interruptible);
        self.prepared.watch(steps, move || interruptible.load(Ordering::Relaxed) && asked())
    }

    /// Finds the WAL index in memory, for a connection that has read from the database.
    pub(super) fn find_wal_index(&mut self) {
        self.prepared.find_wal_index();
    }

    /// The current state of the WAL, which every commit of every process changes. `None` if there
    /// is no WAL.
    pub(super) fn wal_state(&self) -> Option<WalState> {
        self.prepared.wal_state()
    }

    /// Sets a function that is called for each row that is inserted, updated or deleted; `None`
    /// removes it.
    pub(super) fn note_rows(
        &mut self,
        noted: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> rusqlite::Result<()> {
        self.prepared.note_rows(noted)
    }

    /// Runs the statement of a shape with values, and passes its rows to `row` until that returns
    /// false.
    pub(super) fn rows<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.slot(model, shape)?;
        self.statements += 1;
        let interruptible = InterruptWindow::new(&self.interruptible);
        let run = match shape.place().rules {
            RuleSet::NONE => self.prepared.run(slot, values),
            _ => self.prepared.run(slot, RuledValues::new(model, shape, values)),
        };
        let done = run.and_then(|run| run.rows(row));
        drop(interruptible);
        if let Err(cause) = &done
            && fault::is_interrupt(fault::code(cause))
        {
            self.note(shape, true);
        }
        done
    }

    /// A counter that SQLite has for the statement of a shape.
    #[cfg(test)]
    pub(super) fn counted(&self, shape: &Shape, which: rusqlite::StatementStatus) -> u32 {
        self.prepared.counted(self.shapes[shape].slot, which)
    }

    /// The sum of the effort of the statements of shapes, over all of their runs.
    pub(super) fn effort<'s>(&self, shapes: impl Iterator<Item = &'s Shape>) -> Effort {
        let known = shapes.filter_map(|shape| self.shapes.get(shape));
        known.map(|known| self.prepared.effort(known.slot)).fold(Effort::default(), Effort::and)
    }

    #[cfg(test)]
    pub(super) fn knows(&self, shape: &Shape) -> bool {
        self.shapes.contains_key(shape)
    }

    /// Whether a shape exceeded the time of a worker, the last time.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        self.shapes.get(shape).is_some_and(|known| known.is_slow)
    }

    /// Notes whether a shape is slow.
    pub(super) fn note(&mut self, shape: &Shape, is_slow: bool) {
        if let Some(known) = self.shapes.get_mut(shape) {
            (known.is_slow, known.quick_tries) = (is_slow, 0);
        }
    }

    /// Notes that a worker has tried a slow shape, and that it was fast.
    pub(super) fn note_quick_try(&mut self, shape: &Shape) {
        if let Some(known) = self.shapes.get_mut(shape) {
            known.quick_tries += 1;
            if known.quick_tries >= QUICK_TRIES {
                (known.is_slow, known.quick_tries) = (false, 0);
            }
        }
    }

    /// Runs a step that returns no rows, and returns the number of rows that it changed.
    pub(super) fn execute(&mut self, model: &Arc<Model>, step: &Step) -> rusqlite::Result<u64> {
        let slot = self.slot(model, &step.shape)?;
        self.statements += 1;
        let values = RuledValues::new(model, &step.shape, &step.values);
        let _interruptible = InterruptWindow::new(&self.interruptible);
        self.prepared.execute(slot, values)
    }

    /// Runs a text that has no shape as a statement of the request. The statement is not cached.
    pub(super) fn run<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.prepared.prepare(text)?;
        self.statements += 1;
        let interruptible = InterruptWindow::new(&self.interruptible);
        let done = self.prepared.rows(slot, values, row);
        drop(interruptible);
        self.prepared.forget(slot);
        done
    }

    /// Runs a statement of the store itself. It is never interrupted.
    pub(super) fn run_system(&mut self, text: &'static str) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.execute(slot, []).map(drop)
    }

    /// Runs a statement of the store itself, and passes its rows to `row`. It is never interrupted.
    pub(super) fn ask(
        &mut self,
        text: &'static str,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.rows(slot, [], row)
    }

    /// Empties the page cache. A page that was read from a damaged file stays in it even after the
    /// file has been repaired.
    pub(super) fn forget_pages(&mut self) {
        if let Err(cause) = self.run_system("PRAGMA shrink_memory") {
            tracing::debug!(%cause, "the page cache was not emptied");
        }
    }

    fn keeper(&mut self, text: &'static str) -> rusqlite::Result<Slot> {
        if let Some((_, slot)) = self.system_slots.iter().find(|(known, _)| *known == text) {
            return Ok(*slot);
        }
        let slot = self.prepared.prepare(text)?;
        self.system_slots.push((text, slot));
        Ok(slot)
    }

    /// The statement of a shape. A new model discards all statements, since its tables may differ.
    fn slot(&mut self, model: &Arc<Model>, shape: &Shape) -> rusqlite::Result<Slot> {
        self.asked += 1;
        if !self.model.as_ref().is_some_and(|known| Arc::ptr_eq(known, model)) {
            self.shapes.drain().for_each(|(_, known)| self.prepared.forget(known.slot));
            self.model = Some(Arc::clone(model));
        }
        if let Some(known) = self.shapes.get_mut(shape) {
            known.asked = self.asked;
            return Ok(known.slot);
        }
        if self.shapes.len() >= STATEMENTS_MAX {
            self.forget_one();
        }
        let slot = self.prepared.prepare(&sql::text(shape, model, Dialect::Sqlite))?;
        self.shapes.insert(
            shape.clone(),
            ShapeHistory { slot, asked: self.asked, is_slow: false, quick_tries: 0 },
        );
        Ok(slot)
    }

    /// Forgets the shape that was used least recently. The search costs less than preparing the
    /// statement that takes its place.
    fn forget_one(&mut self) {
        let oldest = self.shapes.iter().min_by_key(|(_, known)| known.asked);
        let Some(shape) = oldest.map(|(shape, _)| shape.clone()) else { return };
        if let Some(known) = self.shapes.remove(&shape) {
            self.prepared.forget(known.slot);
        }
    }
}

impl Statements for Handle {
    type Row<'r> = StatementRow<'r>;

    const DIALECT: Dialect = Dialect::Sqlite;

    fn query<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<(), Failure> {
        Ok(self.rows(model, shape, values, row)?)
    }

    fn query_text<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<(), Failure> {
        Ok(self.run(text, values, row)?)
    }

    fn take_count(&mut self) -> u32 {
        mem::take(&mut self.statements)
    }
}

/// The time in which a statement of a request runs. It ends when this is dropped.
struct InterruptWindow<'h>(&'h AtomicBool);

impl<'h> InterruptWindow<'h> {
    fn new(flag: &'h AtomicBool) -> Self {
        flag.store(true, Ordering::Relaxed);
        Self(flag)
    }
}

impl Drop for InterruptWindow<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
