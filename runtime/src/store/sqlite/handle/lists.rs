//! Runs of statements, with the lists that come with their rows. For each row, the statement of a
//! list runs while the row is rendered, in the same snapshot.

use std::{
    cell::{Cell as StdCell, RefCell},
    sync::Arc,
};

use super::{Handle, InterruptWindow, MISSING};
use crate::{
    model::{LayoutList, Model, value::Value},
    plan::{CallerValues, Shape},
    store::{
        sink::{Cell, Row},
        sql::parameters::{RunInputs, StatementParameters},
        sqlite::{
            fault,
            raw::{PreparedConnection, Slot, StatementRow},
        },
    },
};

/// The maximum number of lists of a read. The statements of all of them are prepared before its
/// first row, and a connection keeps several times as many.
const LISTS_MAX: usize = 32;

/// The error of a read with too many lists.
const TOO_MANY: rusqlite::Error = rusqlite::Error::InvalidQuery;

/// The lists of a read, which run on its connection.
struct RowLists<'l> {
    prepared: &'l PreparedConnection,
    caller: &'l CallerValues,
    /// The statements of the lists, by their numbers.
    statements: Vec<ListStatement<'l>>,
    /// The number of runs until now.
    runs: StdCell<u32>,
    /// The failure of a run, after which none runs any more.
    failure: RefCell<Option<rusqlite::Error>>,
}

/// The prepared statement of a list.
struct ListStatement<'l> {
    slot: Slot,
    parameters: Arc<StatementParameters>,
    values: &'l [Value],
}

/// A row of a statement. Lists may come with it.
pub(in crate::store) struct SqliteRow<'r> {
    row: &'r StatementRow<'r>,
    lists: Option<&'r RowLists<'r>>,
}

impl Handle {
    /// Runs the statement of a shape with values, and for each row those of the lists that come
    /// with it. Passes the rows to `row` until `row` returns false. If a statement is interrupted,
    /// the shape is recorded as slow.
    pub(in crate::store::sqlite) fn rows<'v>(
        &mut self,
        model: &'v Arc<Model>,
        shape: &Shape,
        caller: &'v CallerValues,
        inputs: RunInputs<'v>,
        mut row: impl FnMut(&SqliteRow<'_>) -> bool,
    ) -> rusqlite::Result<()> {
        let (slot, parameters) = self.slot(model, shape)?;
        let placed = shape.lists(model);
        if placed.len() > LISTS_MAX {
            return Err(TOO_MANY);
        }
        let mut statements = Vec::with_capacity(placed.len());
        for list in placed {
            let (slot, parameters) = self.slot(model, &list.shape(shape.place()))?;
            let values = list.values(inputs.list_values(shape)).ok_or(MISSING)?;
            statements.push(ListStatement { slot, parameters, values });
        }
        let (runs, failure) = Default::default();
        let lists = RowLists { prepared: &self.prepared, caller, statements, runs, failure };
        let interruptible = InterruptWindow::new(&self.interruptible);
        let run = self.prepared.run_bound(slot, parameters.values(caller, inputs))?;
        let result = run.rows(|found| row(&lists.row(found)) && lists.is_whole());
        drop(interruptible);
        let RowLists { runs, failure, .. } = lists;
        self.statements += 1 + runs.get();
        let result = result.and(failure.into_inner().map_or(Ok(()), Err));
        if let Err(cause) = &result
            && fault::is_interrupt(fault::code(cause))
        {
            self.note(shape, true);
        }
        result
    }
}

impl<'r> SqliteRow<'r> {
    /// A row with which no lists come.
    pub(super) const fn plain(row: &'r StatementRow<'r>) -> Self {
        Self { row, lists: None }
    }
}

impl Row for SqliteRow<'_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        self.row.cell(at)
    }

    fn list(&self, list: &LayoutList, row: &mut dyn FnMut(&dyn Row) -> bool) -> bool {
        if let Some(lists) = self.lists {
            lists.run(list, &self.cell(list.at.into()).into(), row);
        }
        false
    }
}

impl<'l> RowLists<'l> {
    /// A row with which these lists come.
    const fn row<'r>(&'r self, row: &'r StatementRow<'r>) -> SqliteRow<'r> {
        SqliteRow { row, lists: Some(self) }
    }

    /// Whether all runs have succeeded until now.
    fn is_whole(&self) -> bool {
        self.failure.borrow().is_none()
    }

    /// Runs the statement of a list for the row with this id.
    fn run(&self, list: &LayoutList, owner: &Value, each: &mut dyn FnMut(&dyn Row) -> bool) {
        if !self.is_whole() {
            return;
        }
        self.runs.set(self.runs.get() + 1);
        let result = self.rows(list, owner, each);
        if let Err(cause) = result {
            self.failure.borrow_mut().get_or_insert(cause);
        }
    }

    fn rows(
        &self,
        list: &LayoutList,
        owner: &Value,
        each: &mut dyn FnMut(&dyn Row) -> bool,
    ) -> rusqlite::Result<()> {
        let statement = self.statements.get(usize::from(list.number)).ok_or(MISSING)?;
        let inputs = RunInputs::from(statement.values).of_owner(owner);
        let values = statement.parameters.values(self.caller, inputs);
        let run = self.prepared.run_bound(statement.slot, values)?;
        run.rows(|row| each(&self.row(row)) && self.is_whole())
    }
}

#[cfg(test)]
mod tests;
