//! One turn of a server under load (its share of an alternating measurement), and the summary of
//! several turns.

use std::{io, net::SocketAddr, time::Duration};

use crate::{
    child::Child,
    client::{Sample, Traffic, load},
    median,
};

/// The measurements of one turn of one server.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    per_second: f64,
    cpu_micros: f64,
    half_millis: f64,
    slow_millis: f64,
}

impl Turn {
    /// Sends load to a server for this time, after a warm-up that lasts a tenth of it.
    pub(crate) fn of(
        server: &Child,
        traffic: &Traffic,
        connections: u64,
        time: Duration,
    ) -> io::Result<Self> {
        load(server.address, traffic, connections, time / 10)?;
        let before = server.cpu_seconds()?;
        let sample = load(server.address, traffic, connections, time)?;
        let cpu = server.cpu_seconds()? - before;
        let cpu_micros = 1e6 * cpu / sample.micros.len().max(1) as f64;
        Ok(Self { cpu_micros, ..Self::from(sample) })
    }

    /// Sends load to a server whose process is unknown, so the processor time in the result is 0.
    pub(crate) fn at(
        address: SocketAddr,
        traffic: &Traffic,
        connections: u64,
        time: Duration,
    ) -> io::Result<Self> {
        load(address, traffic, connections, time / 10)?;
        load(address, traffic, connections, time).map(Self::from)
    }

    /// Returns the sum of turns that were taken at the same time. The times are those of the slower
    /// one.
    pub(crate) fn together(turns: &[Self]) -> Self {
        let most = |figure: fn(&Self) -> f64| turns.iter().map(figure).fold(0.0, f64::max);
        Self {
            per_second: turns.iter().map(|turn| turn.per_second).sum(),
            cpu_micros: 0.0,
            half_millis: most(|turn| turn.half_millis),
            slow_millis: most(|turn| turn.slow_millis),
        }
    }
}

impl From<Sample> for Turn {
    fn from(mut sample: Sample) -> Self {
        Self {
            per_second: sample.per_second(),
            cpu_micros: 0.0,
            half_millis: sample.quantile(0.5) / 1000.0,
            slow_millis: sample.quantile(0.99) / 1000.0,
        }
    }
}

/// The median ratio of the requests per second of `turns` to those of `of`, in percent. The turns
/// are compared in pairs. `None` if either has no turns.
pub(crate) fn percent(of: &[Turn], turns: &[Turn]) -> Option<f64> {
    let ratios = of.iter().zip(turns).map(|(of, turn)| 100.0 * turn.per_second / of.per_second);
    (!of.is_empty() && !turns.is_empty()).then(|| median(ratios))
}

/// Formats the median processor time of a request, in microseconds.
pub(crate) fn cpu(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.1}", median(turns.iter().map(|turn| turn.cpu_micros))))
}

/// Formats the median, the minimum and the maximum of the requests per second.
pub(crate) fn spread(turns: &[Turn]) -> String {
    shown(turns, |turns| {
        let figures = || turns.iter().map(|turn| turn.per_second);
        let least = figures().fold(f64::INFINITY, f64::min);
        let most = figures().fold(0.0, f64::max);
        format!("{:.0} ({least:.0}–{most:.0})", median(figures()))
    })
}

/// Formats the median over the turns of the p50, in milliseconds.
pub(crate) fn half(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.2}", median(turns.iter().map(|turn| turn.half_millis))))
}

/// Formats the median over the turns of the p99, in milliseconds.
pub(crate) fn slow(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.1}", median(turns.iter().map(|turn| turn.slow_millis))))
}

fn shown(turns: &[Turn], figure: impl FnOnce(&[Turn]) -> String) -> String {
    if turns.is_empty() { "–".into() } else { figure(turns) }
}
