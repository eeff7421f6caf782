//! The conditions on the chain: the ancestors that a URL names. Each ancestor must exist as a row.

use std::borrow::Cow;

use super::{Dialect, quoted, text::SqlText};
use crate::{
    model::{FieldIx, ResourceIx},
    plan::RuleRow,
};

impl SqlText<'_> {
    /// Returns the ancestors that the URL names, outermost first.
    fn links_above(&self) -> Vec<ResourceIx> {
        let mut above: Vec<_> =
            self.model.ancestors(self.place.resource).take(self.place.depth.into()).collect();
        above.reverse();
        above
    }

    /// Whether the URL names an ancestor.
    pub(super) const fn nested(&self) -> bool {
        self.place.depth > 0
    }

    /// Returns the column that holds the id of the parent.
    fn parent_column(&self, of: ResourceIx) -> &'static str {
        let (_, field) = self.model[of]
            .parent
            .expect("every resource below the first link of a chain has a parent");
        self.model[of][field].column
    }

    /// Writes a join of the ancestors, `"a" AS a1 JOIN "b" AS a2 ON …`. The join has one row if all
    /// ancestors in the URL exist.
    pub(super) fn ancestors(&mut self) {
        for (above, link) in self.links_above().into_iter().enumerate() {
            if above > 0 {
                self.push(" JOIN ");
            }
            self.name(self.model[link].def.table);
            self.push(&format!(" AS a{}", above + 1));
            if above > 0 {
                self.push(&format!(" ON a{}.", above + 1));
                self.name(self.parent_column(link));
                self.push(&format!(" = a{above}."));
                self.name(self.model[link][FieldIx::ID].column);
                self.push(&format!(" AND a{}.", above + 1));
                self.name(self.model[link][FieldIx::ID].column);
                self.push(" = ");
                self.parameter(above + 1);
                self.and_ancestor(above);
            }
        }
    }

    /// Writes ` AND` and the access rule of an ancestor in the join, if there is one.
    fn and_ancestor(&mut self, above: usize) {
        self.and_rule(ancestor(above), format!("a{}", above + 1).into());
    }

    /// Writes the condition that the id of the outermost ancestor is the first parameter.
    pub(super) fn outermost(&mut self) {
        self.push("a1.\"id\" = ");
        self.parameter(1);
        self.and_ancestor(0);
    }

    /// Writes the condition that the member is a child of the nearest ancestor in the URL.
    pub(super) fn below(&mut self) {
        self.push("t.");
        self.name(self.parent_column(self.place.resource));
        self.push(" = ");
        self.parameter(self.place.depth.into());
    }

    /// Writes the condition that every ancestor in the URL exists: `EXISTS (…)`.
    pub(super) fn whole(&mut self) {
        self.push("EXISTS (SELECT 1 FROM ");
        self.ancestors();
        self.push(" WHERE ");
        self.outermost();
        self.push(")");
    }

    /// Writes ` AND` and the condition that the member belongs to the ancestors in the URL, and
    /// that these ancestors exist. Writes nothing if the URL names no ancestor.
    pub(super) fn and_chain(&mut self) {
        if self.nested() {
            self.push(" AND ");
            self.below();
            self.push(" AND ");
            self.whole();
        }
    }

    /// Writes subqueries for the ids of the ancestors above the parent of a written row, nearest
    /// first. The URL determines how many ids there are.
    pub(super) fn above_parent(&mut self) {
        let mut links = self.links_above();
        links.reverse();
        for last in 1..links.len() {
            self.push(", (SELECT p");
            self.push(&last.to_string());
            self.push(".");
            self.name(self.parent_column(links[last - 1]));
            self.push(" FROM ");
            for (at, link) in links[..last].iter().enumerate() {
                if at > 0 {
                    self.push(" JOIN ");
                }
                self.name(self.model[*link].def.table);
                self.push(&format!(" AS p{}", at + 1));
                if at > 0 {
                    self.push(&format!(" ON p{}.\"id\" = p{at}.", at + 1));
                    self.name(self.parent_column(links[at - 1]));
                }
            }
            self.push(" WHERE p1.\"id\" = ");
            self.written();
            self.push(".");
            self.name(self.parent_column(self.place.resource));
            self.push(")");
        }
    }

    /// Writes the name by which the RETURNING clause of an update refers to the updated row.
    fn written(&mut self) {
        let row = self.updated();
        self.push(&row);
    }

    /// Returns the name by which the RETURNING clause of an update refers to the updated row. In
    /// SQLite this is the table's name, since a RETURNING clause cannot use an alias.
    pub(super) fn updated(&self) -> Cow<'static, str> {
        match self.dialect {
            Dialect::Sqlite => quoted(self.resource().def.table).into(),
            Dialect::Postgres => "t".into(),
        }
    }

    /// Writes a query with one column for each ancestor in the URL. The column is 1 if the ancestor
    /// exists, otherwise 0. The query returns one row.
    pub(super) fn links(&mut self) {
        let links = self.links_above();
        self.push("SELECT ");
        self.separated(", ", links.into_iter().enumerate(), |text, (above, link)| {
            text.push("CAST(EXISTS (SELECT 1 FROM ");
            text.name(text.model[link].def.table);
            text.push(" WHERE \"id\" = ");
            text.parameter(above + 1);
            if above > 0 {
                text.push(" AND ");
                text.name(text.parent_column(link));
                text.push(" = ");
                text.parameter(above);
            }
            text.and_rule(ancestor(above), quoted(text.model[link].def.table).into());
            text.push(") AS INTEGER)");
        });
    }
}

/// Returns the [`RuleRow`] of an ancestor in the URL. `above` is 0 for the outermost ancestor.
fn ancestor(above: usize) -> RuleRow {
    RuleRow::Ancestor(
        u8::try_from(above)
            .expect("linking the model limits the depth of nesting to less than 256"),
    )
}
