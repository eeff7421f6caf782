//! Counts the instructions of each stage of a request, and compares them with an earlier table.
//!
//! The program runs a request up to a stage, and then up to the next stage. The difference is the
//! cost of the next stage. It includes dropping the values that only this stage uses.

use std::{fs, io, path::PathBuf, pin::pin};

use clap::Args;
use http::Request;
use nouns::{
    __runtime::{
        Body, access,
        action::Action,
        arriving::Arriving,
        identify::{Claim, ClientKey},
        plan::{Plan, View},
        reply::Reply,
        route::Target,
    },
    Error,
};

use crate::{bed::Bed, instructions, say, workload};

/// The options of `stages`.
#[derive(Args, Debug)]
pub(crate) struct Stages {
    /// Fails if a stage has grown since the table in this file was made. The growth must exceed a
    /// twentieth of the stage, and a hundredth of its request.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Runs every case up to every stage and prints nothing. Valgrind counts the instructions.
    #[arg(long, hide = true)]
    marked: bool,
}

/// The stages of a request, in their order. `Made` creates the request. `Dress` is the work of the
/// service around the other stages: common header fields, the log, and discarding the request body
/// that the other stages have not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Made,
    Route,
    Action,
    Plan,
    Store,
    Reply,
    Finish,
}

/// A measured request: its name in the table, its method, target and body.
struct Case {
    name: &'static str,
    method: &'static str,
    target: &'static str,
    body: &'static str,
}

const CASES: [Case; 4] = [
    Case { name: "GET a zoo", method: "GET", target: "/zoos/1", body: "" },
    Case {
        name: "GET 20 animals, filtered and sorted",
        method: "GET",
        target: "/zoos/1/animals?animal_type_id=1&sortby=name&limit=20",
        body: "",
    },
    Case {
        name: "PATCH an animal",
        method: "PATCH",
        target: "/zoos/1/animals/1",
        body: r#"{"weight_kg":4.5}"#,
    },
    Case {
        name: "POST an animal",
        method: "POST",
        target: "/zoos/1/animals",
        body: r#"{"name":"Bella","animal_type_id":1,"weight_kg":4.5,"born":"2020-02-29"}"#,
    },
];

const STAGES: [Stage; 7] = [
    Stage::Made,
    Stage::Route,
    Stage::Action,
    Stage::Plan,
    Stage::Store,
    Stage::Reply,
    Stage::Finish,
];

/// A stage has grown if it exceeds its earlier cost by this factor and also exceeds `GROWTH_MIN`.
const GROWTH_MAX: f64 = 1.05;
/// The share of the whole request that a stage must grow by to count as grown. Without a change of
/// the program, counts differ by up to half of this share.
const GROWTH_MIN: f64 = 0.01;

impl Stages {
    pub(crate) fn run(self) -> io::Result<()> {
        if self.marked {
            return walk(instructions::marked);
        }
        let before = self.compare.map(fs::read_to_string).transpose()?;
        let counted = instructions::count(CASES.len() * STAGES.len(), &["stages", "--marked"])?;
        let counted = counted.ok_or_else(|| {
            io::Error::other("valgrind is not installed; it counts the instructions")
        })?;
        say(&format!("| stage | {} |", CASES.map(|case| case.name).join(" | ")));
        say(&format!("|---|{}", "---:|".repeat(CASES.len())));
        let mut grown = vec![];
        let whole = |counts: &[u64]| {
            counts[Stage::Finish as usize].saturating_sub(counts[Stage::Made as usize])
        };
        let wholes: Vec<u64> = counted.chunks_exact(STAGES.len()).map(whole).collect();
        let rows = STAGES.windows(2).map(|both| (both[1].name(), both[0], both[1]));
        for (name, from, to) in rows.chain([("all", Stage::Made, Stage::Finish)]) {
            let cost = |counts: &[u64]| counts[to as usize].saturating_sub(counts[from as usize]);
            let costs: Vec<u64> = counted.chunks_exact(STAGES.len()).map(cost).collect();
            say(&format!(
                "| {name} | {} |",
                costs.iter().map(u64::to_string).collect::<Vec<_>>().join(" | ")
            ));
            if let Some(before) = &before {
                grown.extend(compare(before, name, &costs, &wholes)?);
            }
        }
        if grown.is_empty() { Ok(()) } else { Err(io::Error::other(grown.join("; "))) }
    }
}

impl Stage {
    const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Route => "route",
            Self::Action => "action",
            Self::Plan => "plan",
            Self::Store => "store",
            Self::Reply => "reply",
            Self::Finish => "finish",
        }
    }
}

/// Returns a description of each case in which `stage` has grown since the table was made.
fn compare(table: &str, stage: &str, costs: &[u64], wholes: &[u64]) -> io::Result<Vec<String>> {
    let row = table.lines().find_map(|line| line.strip_prefix(&format!("| {stage} | ")));
    let numbers =
        |row: &str| row.split('|').map_while(|cell| cell.trim().parse().ok()).collect::<Vec<u64>>();
    let before = row.map(numbers).unwrap_or_default();
    if before.len() != CASES.len() {
        return Err(io::Error::other(format!(
            "the file has no row `{stage}` with {} numbers",
            CASES.len()
        )));
    }
    let grown = CASES.iter().enumerate().filter_map(|(at, case)| {
        let (now, before) = (costs[at], before[at]);
        let by = now.saturating_sub(before) as f64;
        let much = now as f64 > before as f64 * GROWTH_MAX && by > wholes[at] as f64 * GROWTH_MIN;
        much.then(|| {
            format!("`{stage}` of `{}` has grown from {before} to {now} instructions", case.name)
        })
    });
    Ok(grown.collect())
}

/// Runs every case up to each stage. Each run has a new database with a zoo of a hundred animals,
/// because the cost of a write grows with the WAL.
fn walk(times: impl Fn(&mut dyn FnMut() -> io::Result<()>) -> io::Result<()>) -> io::Result<()> {
    for case in &CASES {
        for up_to in STAGES {
            let folder = tempfile::tempdir()?;
            let bed = Bed::open(&workload::schema(), &folder.path().join("zoo.db"))?;
            workload::fill(1, |target, content| bed.create(target, content.to_owned()))?;
            times(&mut || {
                let request = Request::builder().method(case.method).uri(case.target);
                let request = request.body(Body::from(case.body)).map_err(io::Error::other)?;
                let walked = bed.runtime.block_on(stages(&bed, request, up_to));
                walked.map_err(|error| {
                    io::Error::other(format!("{} to {up_to:?}: {error}", case.name))
                })
            })?;
        }
    }
    Ok(())
}

/// Runs a request up to a stage, as `Service` does without hooks and without a response cache.
async fn stages(bed: &Bed, request: Request<Body>, up_to: Stage) -> Result<(), Error> {
    if up_to == Stage::Finish {
        let reply = bed.service.reply(request).await;
        assert!(
            reply.status.is_success(),
            "the response to a case has the status {}",
            reply.status
        );
        return Ok(());
    }
    let model = bed.store.model();
    let (head, body) = request.into_parts();
    if up_to == Stage::Made {
        return Ok(());
    }
    let target = Target::find(model, &head.uri)?;
    let claim = Claim::of(bed.service.store().model(), &head)?;
    let caller = bed.service.confirm(ClientKey::default(), claim, &head).await?;
    if up_to == Stage::Route {
        return Ok(());
    }
    let admitted = access::admit(model, target, &caller, &head.method)?;
    let action = Action::parse(model, admitted, &head, &mut Arriving::new(pin!(body))).await?;
    if up_to == Stage::Action {
        return Ok(());
    }
    let plan = Plan::of(model, &action, View::Shown);
    if up_to == Stage::Plan {
        return Ok(());
    }
    let sink = Reply::sink(model, &action);
    let result = if plan.writes.is_empty() {
        bed.store.read(&plan, sink).await?
    } else {
        bed.store.write(plan, sink).await?
    };
    if up_to == Stage::Store {
        return Ok(());
    }
    Reply::render(model, &action, result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| stage | a | b | c | d |\n|---|---:|---:|---:|---:|\n| plan | 10 | 1000 | 2000 | 3000 |\n";

    const WHOLES: [u64; 4] = [10_000; 4];

    #[test]
    fn what_has_grown_is_named() {
        assert_eq!(compare(TABLE, "plan", &[10, 1000, 2000, 3000], &WHOLES).unwrap(), [""; 0]);
        assert_eq!(compare(TABLE, "plan", &[110, 1050, 900, 3150], &WHOLES).unwrap(), [""; 0]);
        let grown = compare(TABLE, "plan", &[111, 1000, 2000, 3151], &WHOLES).unwrap();
        assert_eq!(
            grown,
            [
                "`plan` of `GET a zoo` has grown from 10 to 111 instructions",
                "`plan` of `POST an animal` has grown from 3000 to 3151 instructions"
            ]
        );
    }

    #[test]
    fn a_table_without_the_stage_is_refused() {
        let error = compare(TABLE, "store", &[1, 2, 3, 4], &WHOLES).unwrap_err();
        assert_eq!(error.to_string(), "the file has no row `store` with 4 numbers");
    }

    #[test]
    fn every_case_goes_through_every_stage() {
        walk(|work| work()).unwrap();
    }
}
