//! The prepared statements of a connection.

use std::sync::Arc;

use foldhash::HashMap;
use tokio_postgres::{Statement, types::Type};

use super::parameter::BinaryParameter;
use crate::{
    model::Model,
    plan::{CallerValues, Shape},
    store::sql::parameters::{RunInputs, StatementParameters},
};

/// The maximum number of prepared statements of shapes that a connection caches. Each takes some
/// memory of the server.
const STATEMENTS_MAX: usize = 128;

/// The prepared statements of a connection: one for each shape (SQL statement without its values),
/// and those of the store itself.
#[derive(Default)]
pub(super) struct PreparedStatements {
    model: Option<Arc<Model>>,
    shapes: HashMap<Shape, PreparedShape>,
    /// The prepared statements of the store itself, by their texts.
    own: HashMap<&'static str, Statement>,
    /// The number of uses of shapes until now. So the least recently used one can be found.
    uses: u64,
}

struct PreparedShape {
    prepared: PreparedStatement,
    last_use: u64,
}

/// A prepared statement, and where the values of its parameters come from.
#[derive(Clone)]
pub(super) struct PreparedStatement {
    pub(super) statement: Statement,
    pub(super) parameters: Arc<StatementParameters>,
}

impl PreparedStatement {
    pub(super) fn new(statement: Statement, parameters: StatementParameters) -> Self {
        Self { statement, parameters: Arc::new(parameters) }
    }

    /// Returns the values of the parameters. `None` if a value is missing.
    pub(super) fn bound<'v>(
        &'v self,
        caller: &'v CallerValues,
        inputs: impl Into<RunInputs<'v>>,
    ) -> Option<Vec<BinaryParameter<'v>>> {
        Some(self.parameters.bound(caller, inputs.into())?.map(BinaryParameter).collect())
    }
}

impl PreparedStatements {
    /// Finds the statement of a shape. If the model is not the one of the last call, the statements
    /// of all shapes are forgotten, since the tables may differ.
    pub(super) fn find(&mut self, model: &Arc<Model>, shape: &Shape) -> Option<PreparedStatement> {
        self.uses += 1;
        if !self.model.as_ref().is_some_and(|current| Arc::ptr_eq(current, model)) {
            self.shapes.clear();
            self.model = Some(Arc::clone(model));
        }
        let known = self.shapes.get_mut(shape)?;
        known.last_use = self.uses;
        Some(known.prepared.clone())
    }

    /// Adds the statement of a shape, and forgets the least recently used one if there are many. If
    /// another model has come while the statement was prepared, it is not added.
    pub(super) fn add(&mut self, model: &Arc<Model>, shape: &Shape, prepared: &PreparedStatement) {
        if !self.model.as_ref().is_some_and(|current| Arc::ptr_eq(current, model)) {
            return;
        }
        if self.shapes.len() >= STATEMENTS_MAX {
            let oldest = self.shapes.iter().min_by_key(|(_, known)| known.last_use);
            if let Some(shape) = oldest.map(|(shape, _)| shape.clone()) {
                self.shapes.remove(&shape);
            }
        }
        let known = PreparedShape { prepared: prepared.clone(), last_use: self.uses };
        self.shapes.insert(shape.clone(), known);
    }

    /// Forgets the statement of a shape.
    pub(super) fn remove(&mut self, shape: &Shape) {
        self.shapes.remove(shape);
    }

    /// Finds a statement of the store itself.
    pub(super) fn find_own(&self, text: &str) -> Option<Statement> {
        self.own.get(text).cloned()
    }

    /// Adds a statement of the store itself.
    pub(super) fn add_own(&mut self, text: &'static str, statement: &Statement) {
        self.own.insert(text, statement.clone());
    }
}

/// Returns the types of the parameters of a text. The server infers them. But it cannot infer the
/// type of a parameter that the text does not mention. The texts of shapes mention each.
pub(super) fn types(text: &str) -> Vec<Type> {
    let mut types = vec![];
    for part in text.split('$').skip(1) {
        let digits = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let Ok(number) = part[..digits].parse::<usize>() else { continue };
        if types.len() < number {
            types.resize(number, Type::TEXT);
        }
        if let Some(known) = number.checked_sub(1).and_then(|at| types.get_mut(at)) {
            *known = Type::UNKNOWN;
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_text_does_not_mention_has_a_type() {
        let text = "SELECT 1 WHERE a = $1 AND b > $4 OR c = $1 LIMIT $5";
        let (unknown, text_type) = (Type::UNKNOWN, Type::TEXT);
        let expected = [&unknown, &text_type, &text_type, &unknown, &unknown];
        assert_eq!(types(text).iter().collect::<Vec<_>>(), expected);
        assert!(types("SELECT 1").is_empty());
    }
}
