//! The document `/-/metrics`: all counters of all threads, added up.

use std::sync::atomic::Ordering;

use super::{
    Metrics,
    counters::{CLASSES, METHODS, RequestCounters},
    process,
    text::{
        MetricKind::{self, Counter, Gauge, Histogram},
        MetricsText, TextFormat, Unit,
    },
};
use crate::{
    base::counter::{self, HistogramValues},
    store::StoreMetrics,
};

use std::sync::Arc;

impl Metrics {
    /// Writes the document. `response_bytes` is the memory that large responses have reserved.
    pub(super) fn document(
        &self,
        format: TextFormat,
        store: &StoreMetrics,
        response_bytes: usize,
    ) -> String {
        let threads = self.requests.all();
        let mut text = MetricsText::new(format);
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        text.begin("nouns_build_info", Gauge, "The version of Nouns.");
        text.sample("nouns_build_info", &version, 1);
        self.append_requests(&mut text, &threads);
        self.append_connections(&mut text);
        self.append_cache(&mut text, &threads, response_bytes);
        append_store(&mut text, store);
        process::append(&mut text);
        text.end()
    }

    fn append_requests(&self, text: &mut MetricsText, threads: &[Arc<RequestCounters>]) {
        let mut answered_all = 0;
        let name = "nouns_requests_total";
        text.begin(name, Counter, "Responses by route, method and class of status.");
        for at in 0..self.routes.count() {
            let of_threads: Vec<_> = threads.iter().filter_map(|thread| thread.route(at)).collect();
            if of_threads.is_empty() {
                continue;
            }
            for (method_at, method) in METHODS.iter().enumerate() {
                for (class_at, class) in CLASSES.iter().enumerate() {
                    let counts =
                        of_threads.iter().map(|one| one.answered[method_at][class_at].get());
                    let count: u64 = counts.sum();
                    if count > 0 {
                        answered_all += count;
                        let route = self.routes.label(at);
                        let labels = [("route", route), ("method", *method), ("status", *class)];
                        text.sample(name, &labels, count);
                    }
                }
            }
        }
        let sum = |of: fn(&RequestCounters) -> &counter::Counter| sum(threads, of);
        let abandoned = sum(|thread| &thread.abandoned);
        let ended = answered_all + abandoned + sum(|thread| &thread.moved);
        let in_progress = sum(|thread| &thread.started).saturating_sub(ended);
        text.single(
            "nouns_requests_in_progress",
            Gauge,
            "Requests without a response.",
            in_progress,
        );
        let help = "Requests whose client disconnected before the response.";
        text.single("nouns_requests_abandoned_total", Counter, help, abandoned);
        self.append_statuses(text, threads);
        self.append_times(text, threads);
        let help = "SQL statements that requests ran.";
        text.single("nouns_statements_total", Counter, help, sum(|thread| &thread.statements));
    }

    fn append_statuses(&self, text: &mut MetricsText, threads: &[Arc<RequestCounters>]) {
        text.begin("nouns_responses_total", Counter, "Responses by status.");
        let count = threads.first().map_or(0, |thread| thread.statuses.len());
        for at in 0..count {
            let count: u64 = threads.iter().map(|thread| thread.statuses[at].get()).sum();
            if count > 0 {
                let status = (at + 100).to_string();
                text.sample("nouns_responses_total", &[("status", &status)], count);
            }
        }
    }

    fn append_times(&self, text: &mut MetricsText, threads: &[Arc<RequestCounters>]) {
        let name = "nouns_request_duration_seconds";
        text.begin(name, Histogram, "Time from the head of a request to its response, by route.");
        for at in 0..self.routes.count() {
            let mut times = HistogramValues::default();
            let of_threads = threads.iter().filter_map(|thread| thread.route(at));
            of_threads.for_each(|one| times.add(&one.times.values()));
            if !times.counts.is_empty() {
                text.histogram(name, &[("route", self.routes.label(at))], &times, Unit::Time);
            }
        }
    }

    fn append_connections(&self, text: &mut MetricsText) {
        let counts = &self.connections;
        // The closed ones are read first, so that the difference is never negative.
        let closed = counts.closed.load(Ordering::Acquire);
        let accepted = counts.accepted.load(Ordering::Acquire);
        let open = accepted.saturating_sub(closed);
        text.single("nouns_connections_open", Gauge, "Open connections.", open);
        text.single(
            "nouns_connections_total",
            Counter,
            "Connections that were accepted.",
            accepted,
        );
        let help = "Connections that were one too many.";
        let refused = counts.refused.load(Ordering::Relaxed);
        text.single("nouns_connections_refused_total", Counter, help, refused);
        let waiting = self.bulk_waiting.load(Ordering::Relaxed);
        let help = "Large requests that wait for a bulk thread.";
        text.single("nouns_bulk_waiting", Gauge, help, waiting);
    }

    fn append_cache(
        &self,
        text: &mut MetricsText,
        threads: &[Arc<RequestCounters>],
        response_bytes: usize,
    ) {
        let hits = sum(threads, |thread| &thread.cache_hits);
        let misses = sum(threads, |thread| &thread.cache_misses);
        let bytes = self.cache_bytes.load(Ordering::Relaxed);
        let help = "Responses from the response cache.";
        text.single("nouns_cache_hits_total", Counter, help, hits);
        let help = "Pages and members that were not in the response cache.";
        text.single("nouns_cache_misses_total", Counter, help, misses);
        text.single("nouns_cache_bytes", Gauge, "Bytes in the response caches.", bytes);
        let help = "Bytes of large responses that clients have not read yet.";
        text.single("nouns_response_memory_bytes", Gauge, help, response_bytes);
    }
}

fn sum(
    threads: &[Arc<RequestCounters>],
    of: impl Fn(&RequestCounters) -> &counter::Counter,
) -> u64 {
    threads.iter().map(|thread| of(thread).get()).sum()
}

fn append_store(text: &mut MetricsText, store: &StoreMetrics) {
    let gauges: [(&str, MetricKind, &str, u64); 7] = [
        ("nouns_writes_waiting", Gauge, "Writes that wait for the writer.", store.writes_waiting),
        (
            "nouns_slow_reads_waiting",
            Gauge,
            "Reads that wait for a thread for slow reads.",
            store.slow_reads_waiting,
        ),
        (
            "nouns_slow_reads_running",
            Gauge,
            "Reads that run on threads for slow reads.",
            store.slow_reads_running,
        ),
        ("nouns_exports_running", Gauge, "Exports that run.", store.exports_running),
        (
            "nouns_passwords_waiting",
            Gauge,
            "Passwords that wait to be hashed or compared.",
            store.passwords_waiting,
        ),
        ("nouns_snapshots_total", Counter, "Snapshots that reads have taken.", store.snapshots),
        ("nouns_wal_bytes", Gauge, "Bytes in the write-ahead log.", store.wal_bytes),
    ];
    for (name, kind, help, value) in gauges {
        text.single(name, kind, help, value);
    }
    let histograms = [
        ("nouns_write_batch_size", "Writes in a transaction.", &store.batches, Unit::Count),
        ("nouns_commit_duration_seconds", "Time of a commit.", &store.commits, Unit::Time),
        (
            "nouns_checkpoint_duration_seconds",
            "Time of a checkpoint of the write-ahead log.",
            &store.checkpoints,
            Unit::Time,
        ),
    ];
    for (name, help, values, unit) in histograms {
        text.begin(name, Histogram, help);
        text.histogram(name, &[], values, unit);
    }
}
