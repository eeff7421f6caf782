//! The text formats of Prometheus (0.0.4) and of OpenMetrics (1.0.0).

use std::fmt::Write as _;

use http::HeaderMap;

use crate::{base::counter::HistogramValues, http::negotiate};

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextFormat {
    Prometheus,
    OpenMetrics,
}

/// The kind of a metric. The name of a counter ends in `_total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// The unit of the values of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nanoseconds, which are written as seconds.
    Time,
    /// Things that are counted.
    Count,
}

impl TextFormat {
    /// The format that a client prefers: OpenMetrics only if it names it.
    pub(super) fn of(fields: &HeaderMap) -> Self {
        match negotiate::prefers(fields, "application/openmetrics-text", "text/plain") {
            true => Self::OpenMetrics,
            false => Self::Prometheus,
        }
    }

    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// A document of metrics. Writing to a text cannot fail.
pub(super) struct MetricsText {
    format: TextFormat,
    text: String,
}

impl MetricsText {
    pub(super) const fn new(format: TextFormat) -> Self {
        Self { format, text: String::new() }
    }

    /// Begins a metric. Its samples follow.
    pub(super) fn begin(&mut self, name: &str, kind: MetricKind, help: &str) {
        // OpenMetrics names a counter without the end of its samples' name.
        let name = match (self.format, kind) {
            (TextFormat::OpenMetrics, MetricKind::Counter) => name.trim_end_matches("_total"),
            _ => name,
        };
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n").ok();
    }

    /// Appends a sample.
    pub(super) fn sample(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        value: impl std::fmt::Display,
    ) {
        self.text.push_str(name);
        for (at, (label, value)) in labels.iter().enumerate() {
            self.text.push_str(if at == 0 { "{" } else { "," });
            self.text.push_str(label);
            self.text.push_str("=\"");
            for character in value.chars() {
                match character {
                    '\\' | '"' => self.text.extend(['\\', character]),
                    '\n' => self.text.push_str("\\n"),
                    _ => self.text.push(character),
                }
            }
            self.text.push('"');
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        writeln!(self.text, " {value}").ok();
    }

    /// Appends a metric with one sample.
    pub(super) fn single(
        &mut self,
        name: &str,
        kind: MetricKind,
        help: &str,
        value: impl std::fmt::Display,
    ) {
        self.begin(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Appends the samples of a histogram.
    pub(super) fn histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        values: &HistogramValues,
        unit: Unit,
    ) {
        let scaled = |value: u64| match unit {
            Unit::Time => value as f64 / 1e9,
            Unit::Count => value as f64,
        };
        let bounds = values.bounds.iter().map(|bound| format!("{:?}", scaled(*bound)));
        let bounds = bounds.chain(["+Inf".to_owned()]);
        let (bucket, mut count) = (format!("{name}_bucket"), 0);
        for (bound, more) in bounds.zip(&values.counts) {
            count += more;
            let labels = [labels, &[("le", &*bound)]].concat();
            self.sample(&bucket, &labels, count);
        }
        self.sample(&format!("{name}_sum"), labels, scaled(values.sum));
        self.sample(&format!("{name}_count"), labels, count);
    }

    /// Ends the document.
    pub(super) fn end(mut self) -> String {
        if self.format == TextFormat::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> TextFormat {
        let mut fields = HeaderMap::new();
        fields.insert("accept", accept.parse().unwrap());
        TextFormat::of(&fields)
    }

    #[test]
    fn open_metrics_is_sent_to_those_who_name_it() {
        // What Prometheus itself sends.
        let scraper = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
        assert_eq!(of(scraper), TextFormat::OpenMetrics);
        assert_eq!(of("application/openmetrics-text"), TextFormat::OpenMetrics);
        for other in [
            "",
            "*/*",
            "text/plain",
            "application/json",
            "text/plain, application/openmetrics-text;q=0.9",
            "application/openmetrics-text;q=0",
        ] {
            assert_eq!(of(other), TextFormat::Prometheus, "{other}");
        }
    }

    fn document(format: TextFormat) -> String {
        let mut text = MetricsText::new(format);
        text.begin("a_total", MetricKind::Counter, "Things.");
        text.sample("a_total", &[("route", "/\"\\\n{x}"), ("method", "GET")], 7);
        text.begin("b_seconds", MetricKind::Histogram, "Times.");
        static BOUNDS: [u64; 2] = [1_000_000, 1_000_000_000];
        let values = HistogramValues { bounds: &BOUNDS, counts: vec![1, 0, 2], sum: 2_500_000_000 };
        text.histogram("b_seconds", &[("route", "/")], &values, Unit::Time);
        text.end()
    }

    #[test]
    fn a_document_has_types_labels_and_cumulative_buckets() {
        let samples = "a_total{route=\"/\\\"\\\\\\n{x}\",method=\"GET\"} 7\n# HELP b_seconds Times.\n\
            # TYPE b_seconds histogram\n\
            b_seconds_bucket{route=\"/\",le=\"0.001\"} 1\n\
            b_seconds_bucket{route=\"/\",le=\"1.0\"} 1\n\
            b_seconds_bucket{route=\"/\",le=\"+Inf\"} 3\n\
            b_seconds_sum{route=\"/\"} 2.5\n\
            b_seconds_count{route=\"/\"} 3\n";
        let begin = "# HELP a_total Things.\n# TYPE a_total counter\n";
        assert_eq!(document(TextFormat::Prometheus), format!("{begin}{samples}"));
        let begin = "# HELP a Things.\n# TYPE a counter\n";
        assert_eq!(document(TextFormat::OpenMetrics), format!("{begin}{samples}# EOF\n"));
    }
}
