//! A strict parser of the text formats of Prometheus (0.0.4) and OpenMetrics (1.0.0).

use std::collections::{BTreeMap, BTreeSet};

/// A document of metrics.
pub(crate) struct Exposition {
    /// The value of each time series, by its name and labels as they are written.
    pub(crate) samples: BTreeMap<String, f64>,
}

impl Exposition {
    /// Parses a document. Panics if it has a mistake: a sample without a type, a repeated series,
    /// metrics that are not grouped, or a histogram that is not cumulative.
    pub(crate) fn parse(text: &str) -> Self {
        let is_open = text.ends_with("\n# EOF\n");
        let text = text.strip_suffix("# EOF\n").unwrap_or(text);
        assert!(text.ends_with('\n') && !text.contains("\n\n"), "{text}");
        let (mut samples, mut families) = (BTreeMap::new(), BTreeSet::new());
        let (mut family, mut kind, mut has_help) = (String::new(), "", false);
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix("# HELP ") {
                let (name, help) = comment.split_once(' ').unwrap();
                assert!(families.insert(name.to_owned()), "`{name}` occurs twice");
                assert!(help.ends_with('.'), "{line}");
                (family, kind, has_help) = (name.to_owned(), "", true);
            } else if let Some(comment) = line.strip_prefix("# TYPE ") {
                let (name, of) = comment.split_once(' ').unwrap();
                assert!(has_help && name == family && kind.is_empty(), "{line}");
                kind = of;
            } else {
                let (series, value) = line.rsplit_once(' ').unwrap();
                let name = check_series(series);
                let end = name.strip_prefix(&*family).unwrap_or_else(|| panic!("{line}"));
                let ends: &[&str] = match (kind, is_open) {
                    ("counter", true) => &["_total"],
                    ("counter" | "gauge", _) => &[""],
                    ("histogram", _) => &["_bucket", "_sum", "_count"],
                    _ => panic!("`{kind}` is no type: {line}"),
                };
                assert!(ends.contains(&end), "{line}");
                assert!(kind != "counter" || name.ends_with("_total"), "{line}");
                let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
                assert!(value.is_finite() && value >= 0.0, "{line}");
                assert_eq!(samples.insert(series.to_owned(), value), None, "{line}");
            }
        }
        let exposition = Self { samples };
        exposition.check_histograms();
        exposition
    }

    fn check_histograms(&self) {
        for (series, count) in &self.samples {
            let name = series.split('{').next().unwrap();
            let Some(of) = name.strip_suffix("_count") else { continue };
            let labels = series[name.len()..].trim_end_matches('}');
            let begin = match labels {
                "" => format!("{of}_bucket{{le=\""),
                labels => format!("{of}_bucket{labels},le=\""),
            };
            let mut counts: Vec<_> = self
                .samples
                .range(begin.clone()..)
                .take_while(|(series, _)| series.starts_with(&begin))
                .map(|(series, count)| (bound(series), *count))
                .collect();
            counts.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(counts.len() > 3, "{series} has no buckets");
            assert!(counts.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{series}: {counts:?}");
            assert_eq!(counts.last(), Some(&(f64::INFINITY, *count)), "{series}");
        }
    }

    /// The value of a time series, or 0 if there is none.
    pub(crate) fn value(&self, series: &str) -> f64 {
        self.samples.get(series).copied().unwrap_or(0.0)
    }

    /// The time series whose name and labels begin like this, with their values.
    pub(crate) fn of(&self, begin: &str) -> BTreeMap<&str, f64> {
        let of = self.samples.iter().filter(|(series, _)| series.starts_with(begin));
        of.map(|(series, value)| (&**series, *value)).collect()
    }

    /// The names and labels of all time series, without those of the process.
    pub(crate) fn series(&self) -> BTreeSet<&str> {
        self.samples.keys().map(String::as_str).collect()
    }
}

/// Checks the name and the labels of a time series, and returns the name.
fn check_series(series: &str) -> &str {
    let (name, labels) = match series.split_once('{') {
        None => (series, ""),
        Some((name, labels)) => {
            (name, labels.strip_suffix('}').unwrap_or_else(|| panic!("{series}")))
        }
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
    };
    assert!(is_name(name), "{series}");
    let mut rest = labels;
    while !rest.is_empty() {
        let (label, value) = rest.split_once("=\"").unwrap_or_else(|| panic!("{series}"));
        assert!(is_name(label), "{series}");
        let mut escaped = false;
        let end = value.find(|letter| {
            let ends = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        });
        rest = &value[end.unwrap_or_else(|| panic!("{series}")) + 1..];
        if let Some(more) = rest.strip_prefix(',') {
            assert!(!more.is_empty(), "{series}");
            rest = more;
        } else {
            assert_eq!(rest, "", "{series}");
        }
    }
    name
}

fn bound(series: &str) -> f64 {
    let (_, bound) = series.rsplit_once("le=\"").unwrap();
    bound.trim_end_matches("\"}").parse().unwrap()
}
