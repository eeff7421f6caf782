//! `ANALYZE` while the store is in use. No call waits for it, and no result changes.

use std::time::{Duration, Instant};

use super::bed::{Bed, json, text};

/// The maximum time that the test waits for `ANALYZE`.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn pages_are_the_same_before_and_after_and_meanwhile() {
    let bed = Bed::new();
    let _worker = bed.store.enter_worker().unwrap();
    let names = (0..1100).map(|at| format!("District {}", at * 7919 % 1100));
    let steps = names.map(|name| bed.insert("district", &[], &[("name", text(&name))])).collect();
    let page = || json(bed.read(&bed.all("district", &[])).sink);
    assert_eq!(page().as_array().unwrap().len(), 0);
    bed.write(bed.plan(steps));
    let first = page();
    assert_eq!(first.as_array().unwrap().len(), 100);
    let (other, until) = (bed.other(), Instant::now() + PATIENCE);
    let analyzed = || {
        let text = "SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'districts'";
        other.query_row(text, [], |row| row.get::<_, i64>(0)).is_ok_and(|count| count > 0)
    };
    while !analyzed() {
        assert!(Instant::now() < until, "the store must run ANALYZE within 30 seconds");
        assert_eq!(page(), first);
    }
    for _ in 0..3 {
        assert_eq!(page(), first);
        bed.add("school", &[1], &[("name", text(&format!("{:?}", Instant::now())))]);
    }
}
