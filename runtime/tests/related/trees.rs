//! Random trees of rows that come with a row, and what a model without SQL makes of them.

use std::cmp::Ordering;

use nouns_runtime::{
    Model,
    model::{
        FieldIx, ListSelection, RelatedSelection, RelatedSelections, RelationIx, ResourceIx,
        SortKey, def::FieldKind,
    },
    sink::{RelatedValues, RowValues},
    value::Value,
};
use serde_json::{Map, Value as Json, json};

use super::{
    dice::{Dice, FIELDS, USED},
    tables::{Condition, Row, Tables, order},
};
use crate::store::bed::int;

/// The rows that come with a row.
#[derive(Debug, Default)]
pub(super) struct Tree {
    members: Vec<TreeMember>,
    lists: Vec<TreeList>,
}

#[derive(Debug)]
struct TreeMember {
    relation: RelationIx,
    fields: Vec<FieldIx>,
    tree: Tree,
}

#[derive(Debug)]
struct TreeList {
    relation: RelationIx,
    target: ResourceIx,
    fields: Vec<FieldIx>,
    condition: Condition,
    sort: Vec<SortKey>,
    limit: usize,
    tree: Tree,
}

impl Dice<'_> {
    /// Draws up to two members and up to two lists, each with others.
    pub(super) fn tree(&mut self, of: ResourceIx, depth: u32) -> Tree {
        let mut tree = Tree::default();
        if depth >= 3 {
            return tree;
        }
        for (relation, target) in self.relations(of, false) {
            let (fields, below) = (self.fields(target), self.tree(target, depth + 1));
            tree.members.push(TreeMember { relation, fields, tree: below });
        }
        for (relation, target) in self.relations(of, true) {
            let condition = match self.random.one_in(2) {
                true => self.condition(target, 2),
                false => Condition::EVERY,
            };
            let (fields, sort) = (self.fields(target), self.sort(target));
            let limit = self.random.below(4).try_into().unwrap();
            let below = self.tree(target, depth + 1);
            tree.lists.push(TreeList {
                relation,
                target,
                fields,
                condition,
                sort,
                limit,
                tree: below,
            });
        }
        tree
    }

    fn relations(&mut self, of: ResourceIx, to_many: bool) -> Vec<(RelationIx, ResourceIx)> {
        let mut left = self.names.relations(of, to_many);
        left.retain(|(_, target)| USED.iter().any(|name| self.names.resource(name) == *target));
        let mut drawn = vec![];
        for _ in 0..self.random.below(3) {
            let Some(one) = self.random.of(&left).copied() else { break };
            left.retain(|other| *other != one);
            drawn.push(one);
        }
        drawn
    }

    fn fields(&mut self, of: ResourceIx) -> Vec<FieldIx> {
        let known = FIELDS.into_iter().filter_map(|name| self.names.0[of].field(name));
        known.filter(|_| !self.random.one_in(3)).collect()
    }

    fn sort(&mut self, of: ResourceIx) -> Vec<SortKey> {
        let mut sort: Vec<_> = self
            .fields(of)
            .into_iter()
            .filter(|field| *field != FieldIx::ID)
            .map(|field| SortKey { field, descending: self.random.one_in(2) })
            .collect();
        sort.truncate(2);
        sort.push(SortKey { field: FieldIx::ID, descending: self.random.one_in(2) });
        sort
    }
}

impl Tree {
    /// The selection of the tree. Adds the values of its lists.
    pub(super) fn selections(&self, values: &mut Vec<Value>) -> RelatedSelections {
        let mut all = RelatedSelections::default();
        for TreeMember { relation, fields, tree } in &self.members {
            let (fields, related) = (fields.as_slice().into(), tree.selections(values));
            let relation = *relation;
            all.members.push(RelatedSelection { relation, fields, length_max: None, related });
        }
        for list in &self.lists {
            let (filter, tested) = list.condition.split();
            values.extend(tested);
            values.push(int(list.limit.try_into().unwrap()));
            let (fields, sort) = (list.fields.as_slice().into(), list.sort.clone());
            let (relation, related) = (list.relation, list.tree.selections(values));
            all.lists.push(ListSelection { relation, fields, filter, sort, related });
        }
        all
    }
}

impl Tree {
    /// Renders related rows that were read as values.
    pub(super) fn render_values(
        &self,
        model: &Model,
        of: ResourceIx,
        related: &[RelatedValues],
        to: &mut Map<String, Json>,
    ) {
        let row = |of: ResourceIx, fields: &[FieldIx], tree: &Self, row: &RowValues| {
            let cells = fields.iter().zip(&row.values);
            let cells =
                cells.map(|(field, value)| (model[of][*field].name.to_string(), json_of(value)));
            let mut shown = cells.collect();
            tree.render_values(model, of, &row.related, &mut shown);
            Json::Object(shown)
        };
        assert_eq!(related.len(), self.members.len() + self.lists.len());
        let (members, lists) = related.split_at(self.members.len());
        for (one, values) in self.members.iter().zip(members) {
            let relation = &model[of][one.relation];
            let RelatedValues::Member(member) = values else { panic!("{values:?} is no member") };
            let member = member.as_ref();
            let member = member.map(|found| row(relation.target, &one.fields, &one.tree, found));
            to.insert(relation.wire.to_string(), member.unwrap_or_default());
        }
        for (list, values) in self.lists.iter().zip(lists) {
            let RelatedValues::List { rows, has_more } = values else {
                panic!("{values:?} is no list")
            };
            let items = rows.iter().map(|found| row(list.target, &list.fields, &list.tree, found));
            let mut shown = json!({ "items": items.collect::<Vec<_>>() });
            if *has_more {
                shown["has_more"] = true.into();
            }
            to.insert(model[of][list.relation].wire.to_string(), shown);
        }
    }
}

pub(super) fn json_of(value: &Value) -> Json {
    match value {
        Value::Integer(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        _ => Json::Null,
    }
}

impl Tables<'_> {
    /// Renders the rows that come with a row.
    pub(super) fn render(
        &self,
        of: ResourceIx,
        row: &Row,
        tree: &Tree,
        to: &mut Map<String, Json>,
    ) {
        for one in &tree.members {
            let relation = &self.model[of][one.relation];
            let member = self.follow(of, row, &[one.relation]);
            let member =
                member.map(|(target, row)| self.rendered(target, row, &one.fields, &one.tree));
            to.insert(relation.wire.to_string(), member.unwrap_or_default());
        }
        for list in &tree.lists {
            let relation = &self.model[of][list.relation];
            let mut rows: Vec<_> = self.rows[&list.target]
                .iter()
                .filter(|other| other[&relation.field()] == row[&FieldIx::ID])
                .filter(|other| self.shows(list.target, other))
                .filter(|other| self.matches(list.target, other, &list.condition))
                .collect();
            rows.sort_by(|one, other| self.order(list, one, other));
            let items = rows.iter().take(list.limit);
            let items = items.map(|row| self.rendered(list.target, row, &list.fields, &list.tree));
            let mut shown = json!({ "items": items.collect::<Vec<_>>() });
            if rows.len() > list.limit {
                shown["has_more"] = true.into();
            }
            to.insert(relation.wire.to_string(), shown);
        }
    }

    fn rendered(&self, of: ResourceIx, row: &Row, fields: &[FieldIx], tree: &Tree) -> Json {
        let shown = fields
            .iter()
            .map(|field| (self.model[of][*field].name.to_string(), json_of(&row[field])));
        let mut member = shown.collect();
        self.render(of, row, tree, &mut member);
        Json::Object(member)
    }

    /// The order of two rows of a list. NULL comes last, in each direction.
    fn order(&self, list: &TreeList, one: &Row, other: &Row) -> Ordering {
        let by_key = |key: &SortKey| {
            let field = &self.model[list.target][key.field];
            let is_text = field.kind == FieldKind::String;
            let values = [one, other].map(|row| &row[&key.field]);
            match values.map(|value| *value == Value::Null) {
                [false, false] => {
                    let found = order(values[0], values[1], is_text && field.ignore_case).unwrap();
                    if key.descending { found.reverse() } else { found }
                }
                [one, other] => one.cmp(&other),
            }
        };
        list.sort.iter().map(by_key).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}
