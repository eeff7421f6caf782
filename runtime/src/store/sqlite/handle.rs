//! A connection with the texts of its statements, which are made once per shape.

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

/// How many statements of shapes a connection keeps: each costs some kilobytes.
const STATEMENTS_MAX: usize = 128;

/// The tries in a row that must be fast before a shape is no longer taken for slow while the slow
/// lane is busy: a client that alternates fast and slow reads must not get its slow ones run
/// outside of the time for tries.
const QUICK_TRIES: u8 = 32;

/// A connection with its statements.
pub(super) struct Handle {
    prepared: Prepared,
    model: Option<Arc<Model>>,
    shapes: AHashMap<Shape, ShapeHistory>,
    /// Statements that keep the store itself, by their texts.
    system_slots: Vec<(&'static str, Slot)>,
    /// How often a shape was asked for: the time by which the one that was longest not asked for is
    /// known.
    asked: u64,
    statements: u32,
    interruptible: Arc<AtomicBool>,
}

/// What is known of a shape.
struct ShapeHistory {
    slot: Slot,
    asked: u64,
    /// Whether it took longer than a worker may, the last time.
    is_slow: bool,
    /// How often in a row it was tried since, and did not.
    quick_tries: u8,
}

impl Handle {
    /// A plan must not depend on what is bound, or SQLite prepares a statement with a bound LIMIT
    /// anew every time: <https://sqlite.org/queryplanner-ng.html#qpstab>.
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

    /// Calls a function after every so many steps of SQLite's machine; where it returns true, the
    /// statement is interrupted.
    ///
    /// It is called for statements of requests alone. SQLite counts the steps of a statement over
    /// all of its runs, so even COMMIT comes to its turn; a transaction that cannot end would make
    /// every later one fail.
    pub(super) fn watch(
        &mut self,
        steps: i32,
        mut asked: impl FnMut() -> bool + Send + 'static,
    ) -> rusqlite::Result<()> {
        let interruptible = Arc::clone(&self.interruptible);
        self.prepared.watch(steps, move || interruptible.load(Ordering::Relaxed) && asked())
    }

    /// Finds out where the state of the database stands, for a connection that has read from it.
    pub(super) fn find_wal_index(&mut self) {
        self.prepared.find_wal_index();
    }

    /// The state of the database now, which every commit of every process changes; nothing where
    /// there is no WAL.
    pub(super) fn wal_state(&self) -> Option<WalState> {
        self.prepared.wal_state()
    }

    /// Notes each row that is inserted, updated or deleted; or no longer.
    pub(super) fn note_rows(
        &mut self,
        noted: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> rusqlite::Result<()> {
        self.prepared.note_rows(noted)
    }

    /// Runs a shape with values, and shows its rows until one returns false.
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

    /// What SQLite has counted of the statement of a shape.
    #[cfg(test)]
    pub(super) fn counted(&self, shape: &Shape, which: rusqlite::StatementStatus) -> u32 {
        self.prepared.counted(self.shapes[shape].slot, which)
    }

    /// What the statements of shapes have done, over all of their runs.
    pub(super) fn effort<'s>(&self, shapes: impl Iterator<Item = &'s Shape>) -> Effort {
        let known = shapes.filter_map(|shape| self.shapes.get(shape));
        known.map(|known| self.prepared.effort(known.slot)).fold(Effort::default(), Effort::and)
    }

    #[cfg(test)]
    pub(super) fn knows(&self, shape: &Shape) -> bool {
        self.shapes.contains_key(shape)
    }

    /// Whether a shape took longer than a worker may, the last time.
    pub(super) fn is_slow(&self, shape: &Shape) -> bool {
        self.shapes.get(shape).is_some_and(|known| known.is_slow)
    }

    /// Notes whether it did.
    pub(super) fn note(&mut self, shape: &Shape, is_slow: bool) {
        if let Some(known) = self.shapes.get_mut(shape) {
            (known.is_slow, known.quick_tries) = (is_slow, 0);
        }
    }

    /// Notes that a worker has tried it, and it was fast.
    pub(super) fn note_quick_try(&mut self, shape: &Shape) {
        if let Some(known) = self.shapes.get_mut(shape) {
            known.quick_tries += 1;
            if known.quick_tries >= QUICK_TRIES {
                (known.is_slow, known.quick_tries) = (false, 0);
            }
        }
    }

    /// Runs a step that returns no rows, and says how many it changed.
    pub(super) fn execute(&mut self, model: &Arc<Model>, step: &Step) -> rusqlite::Result<u64> {
        let slot = self.slot(model, &step.shape)?;
        self.statements += 1;
        let values = RuledValues::new(model, &step.shape, &step.values);
        let _interruptible = InterruptWindow::new(&self.interruptible);
        self.prepared.execute(slot, values)
    }

    /// Runs a text that has no shape and is not kept, as a statement of the request.
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

    /// Runs a text that keeps the store itself. It is never interrupted.
    pub(super) fn run_system(&mut self, text: &'static str) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.execute(slot, []).map(drop)
    }

    /// Asks with a text that keeps the store itself, and shows what it says. It is never
    /// interrupted.
    pub(super) fn ask(
        &mut self,
        text: &'static str,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let slot = self.keeper(text)?;
        self.prepared.rows(slot, [], row)
    }

    /// Empties the page cache. A page that was read from a damaged file stays in it, even when the
    /// file has been mended.
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

    /// The statement of a shape; a new model begins anew, since its tables may be others.
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

    /// Forgets the shape that was longest not asked for. To look for it costs less than to prepare
    /// the one that takes its place.
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

/// The time in which a statement of a request runs; it ends when this is dropped.
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
