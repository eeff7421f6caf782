//! Counts the instructions of reads whose rows come with related rows, beside reads of as many rows
//! without. The store renders the rows; no request can ask for them yet.

use std::io;

use clap::Args;
use nouns::__runtime::{
    Model,
    model::{
        FieldIx, Layout, ListSelection, RelatedSelection, RelatedSelections, RelationIx,
        ResourceIx, Selection, SortKey,
    },
    plan::{Filter, Outcome, Part, Place, Plan, Shape, Sources, Step, View},
    sink::{JsonSink, Sink},
    value::Value,
};

use crate::{bed::Bed, instructions, say, workload};

/// The number of zoos, each with a hundred animals.
const ZOOS: u64 = 20;

/// The options of `related`.
#[derive(Args, Debug)]
pub(crate) struct Related {
    /// Runs each read and prints nothing. Valgrind counts the instructions.
    #[arg(long, hide = true)]
    marked: bool,
}

/// A measured read: its name in the table, the resource, the number of rows, what comes with them,
/// and the values of its lists.
struct RelatedRead {
    name: &'static str,
    of: &'static str,
    rows: i64,
    related: fn(&Model, ResourceIx) -> (RelatedSelections, Vec<Value>),
}

const READS: [RelatedRead; 7] = [
    RelatedRead { name: "20 animals", of: "animal", rows: 20, related: nothing },
    RelatedRead { name: "20 animals, each with its zoo", of: "animal", rows: 20, related: zoo },
    RelatedRead { name: "20 zoos", of: "zoo", rows: 20, related: nothing },
    RelatedRead { name: "80 animals", of: "animal", rows: 80, related: nothing },
    RelatedRead { name: "20 zoos, each with 3 animals", of: "zoo", rows: 20, related: three },
    RelatedRead { name: "100 animals", of: "animal", rows: 100, related: nothing },
    RelatedRead { name: "20 zoos, each with 20 animals", of: "zoo", rows: 20, related: twenty },
];

impl Related {
    pub(crate) fn run(self) -> io::Result<()> {
        if self.marked {
            return walk(instructions::marked);
        }
        let counted = instructions::count(READS.len(), &["related", "--marked"])?;
        let counted = counted.ok_or_else(|| {
            io::Error::other("valgrind is not installed; it counts the instructions")
        })?;
        say("| read | instructions |");
        say("|---|---:|");
        for (read, count) in READS.iter().zip(&counted) {
            say(&format!("| {} | {count} |", read.name));
        }
        Ok(())
    }
}

fn resource(model: &Model, name: &str) -> io::Result<ResourceIx> {
    let found = model.resources().iter().find(|resource| resource.def.name == name);
    found.map(|resource| resource.ix).ok_or_else(|| io::Error::other("the schema has changed"))
}

fn nothing(_: &Model, _: ResourceIx) -> (RelatedSelections, Vec<Value>) {
    Default::default()
}

/// The zoo of each animal, with five cells: its id, and four fields.
fn zoo(model: &Model, animal: ResourceIx) -> (RelatedSelections, Vec<Value>) {
    let relations = (0..).map(RelationIx).zip(&model[animal].relations);
    let mut zoos = relations.filter(|(_, one)| one.name == "zoo");
    let members = zoos.next().map(|(relation, one)| {
        let fields = ["name", "city", "opened", "created_at"];
        let fields = fields.into_iter().filter_map(|name| model[one.target].field(name));
        let fields = fields.collect();
        RelatedSelection { relation, fields, length_max: None, related: Default::default() }
    });
    (RelatedSelections { members: members.into_iter().collect(), lists: vec![] }, vec![])
}

fn three(model: &Model, zoo: ResourceIx) -> (RelatedSelections, Vec<Value>) {
    animals(model, zoo, 3)
}

fn twenty(model: &Model, zoo: ResourceIx) -> (RelatedSelections, Vec<Value>) {
    animals(model, zoo, 20)
}

/// The first animals of each zoo, with all their fields.
fn animals(model: &Model, zoo: ResourceIx, limit: i64) -> (RelatedSelections, Vec<Value>) {
    let relations = (0..).map(RelationIx).zip(&model[zoo].relations);
    let mut animals = relations.filter(|(_, one)| one.name == "animals");
    let lists = animals.next().map(|(relation, one)| {
        let sort = model[one.target].sort.to_vec();
        let fields = model[one.target].visible().map(|(field, _)| field).collect();
        let related = RelatedSelections::default();
        ListSelection { relation, fields, filter: Filter::EVERY, sort, related }
    });
    let lists = lists.into_iter().collect();
    (RelatedSelections { members: vec![], lists }, vec![Value::Integer(limit)])
}

/// Runs each read.
fn walk(times: impl Fn(&mut dyn FnMut() -> io::Result<()>) -> io::Result<()>) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let bed = Bed::open(&workload::schema(), &folder.path().join("zoo.db"))?;
    workload::fill(ZOOS, |target, content| bed.create(target, content.to_owned()))?;
    let model = bed.store.model();
    for read in &READS {
        let of = resource(model, read.of)?;
        let (related, lists) = (read.related)(model, of);
        let layout = Layout::of(model, of, None).with_related(model, &related, &lists);
        let place = Place::new(of, 0);
        let shape = Shape::List {
            place,
            filter: Filter::EVERY,
            sort: vec![SortKey { field: FieldIx::ID, descending: false }],
            selection: Selection::new(View::Shown, related),
            part: Part::Counted,
            beyond: vec![],
        };
        let values = [read.rows, 0].map(Value::Integer).into_iter().chain(lists).collect();
        let mut plan = Plan::default();
        plan.reads = Some(Sources { seed: 0, place, passed: None });
        plan.steps = vec![Step { shape, values }];
        times(&mut || {
            let sink = Sink::Json(JsonSink::new(layout.clone(), "{\"items\":["));
            let result = bed.runtime.block_on(bed.store.read(&plan, sink));
            match result.map_err(io::Error::other)?.outcome {
                Outcome::Page { .. } => Ok(()),
                other => Err(io::Error::other(format!("{}: {other:?}", read.name))),
            }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_read_returns_its_page() {
        walk(|work| work()).unwrap();
    }
}
