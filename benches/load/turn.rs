//! A turn of a server under load, and what several of them come to.

use std::{io, time::Duration};

use crate::{
    child::Child,
    client::{Sample, Traffic, load},
    median,
};

/// One turn of one server.
#[derive(Debug)]
pub(crate) struct Turn {
    per_second: f64,
    cpu_micros: f64,
    half_millis: f64,
    slow_millis: f64,
}

impl Turn {
    /// Loads a server for a time, after a tenth of it that nobody counts.
    pub(crate) fn of(
        server: &Child,
        traffic: &Traffic,
        connections: u64,
        time: Duration,
    ) -> io::Result<Self> {
        load(server.address, traffic, connections, time / 10)?;
        let before = server.cpu_seconds()?;
        let mut sample: Sample = load(server.address, traffic, connections, time)?;
        let cpu = server.cpu_seconds()? - before;
        Ok(Self {
            per_second: sample.per_second(),
            cpu_micros: 1e6 * cpu / sample.micros.len().max(1) as f64,
            half_millis: sample.quantile(0.5) / 1000.0,
            slow_millis: sample.quantile(0.99) / 1000.0,
        })
    }
}

/// The median of the ratios of turns that followed each other; nothing of none.
pub(crate) fn percent(of: &[Turn], turns: &[Turn]) -> Option<f64> {
    let ratios = of.iter().zip(turns).map(|(of, turn)| 100.0 * turn.per_second / of.per_second);
    (!of.is_empty() && !turns.is_empty()).then(|| median(ratios))
}

/// The median of the processor times, in microseconds.
pub(crate) fn cpu(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.1}", median(turns.iter().map(|turn| turn.cpu_micros))))
}

/// Median and extremes of requests a second.
pub(crate) fn spread(turns: &[Turn]) -> String {
    shown(turns, |turns| {
        let figures = || turns.iter().map(|turn| turn.per_second);
        let least = figures().fold(f64::INFINITY, f64::min);
        let most = figures().fold(0.0, f64::max);
        format!("{:.0} ({least:.0}–{most:.0})", median(figures()))
    })
}

/// The time that half of the requests take at most, in milliseconds.
pub(crate) fn half(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.2}", median(turns.iter().map(|turn| turn.half_millis))))
}

/// And that all but one in a hundred take at most.
pub(crate) fn slow(turns: &[Turn]) -> String {
    shown(turns, |turns| format!("{:.1}", median(turns.iter().map(|turn| turn.slow_millis))))
}

fn shown(turns: &[Turn], figure: impl FnOnce(&[Turn]) -> String) -> String {
    if turns.is_empty() { "–".into() } else { figure(turns) }
}
