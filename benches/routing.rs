//! Measures how long the server takes to find the target of a URL, with one resource and with a
//! thousand. Measures how long it takes to read and link a schema.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use http::Uri;
use nouns::{
    __runtime::{Model, route::Target},
    codegen::{Schema, read_yaml},
    interpret::api_def,
};

#[path = "load/synthetic.rs"]
mod synthetic;

const SIZES: [usize; 4] = [1, 10, 100, 1000];

fn schema(resources: usize) -> Schema {
    read_yaml("parts.yaml", &synthetic::schema(resources))
        .unwrap_or_else(|_| panic!("the synthetic schema is valid"))
}

fn model(resources: usize) -> Model {
    Model::link(api_def(&schema(resources))).expect("a checked schema can be linked")
}

/// The URL path of the collection with this number. Each parent in the path has the id 1.
fn path(at: usize) -> String {
    let above: String =
        (at - at % 4..at).map(|above| format!("/{}s/1", synthetic::noun(above))).collect();
    format!("{above}/{}s", synthetic::noun(at))
}

/// Finds the target of a path at the top level, and of one four levels deep.
fn find(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("find");
    for resources in SIZES {
        let model = model(resources);
        let last = (resources - 1) / 4 * 4;
        let deep = if resources % 4 == 0 { Some(last + 3) } else { last.checked_sub(1) };
        for (name, at) in [("top", Some(last)), ("four deep", deep)] {
            let Some(at) = at else { continue };
            let uri: Uri =
                format!("{}/7?limit=5", path(at)).parse().expect("the path is a valid URI");
            assert!(
                matches!(Target::find(&model, &uri), Ok(Target::Member(..))),
                "`{uri}` must be the URL of a member"
            );
            group.bench_with_input(BenchmarkId::new(name, resources), &uri, |bencher, uri| {
                bencher.iter(|| Target::find(&model, black_box(uri)));
            });
        }
    }
    group.finish();
}

/// Reads, checks and links a schema, as the server does at its start.
fn start(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("start");
    group.sample_size(10);
    for resources in [100, 1000] {
        let text = synthetic::schema(resources);
        group.bench_function(BenchmarkId::new("read and check", resources), |bencher| {
            bencher.iter(|| read_yaml("parts.yaml", black_box(&text)).is_ok());
        });
        let def = api_def(&schema(resources));
        group.bench_function(BenchmarkId::new("link", resources), |bencher| {
            bencher.iter(|| Model::link(black_box(def)).is_ok());
        });
    }
    group.finish();
}

criterion_group!(benches, find, start);
criterion_main!(benches);
