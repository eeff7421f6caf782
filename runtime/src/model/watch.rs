//! [`WatchState`]: the state of the schema file of a server that watches it, for web pages.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::base::{hash::StableHasher, limits::DIAGNOSTIC_BYTES_MAX};

/// The state of a watched schema file: what is wrong with it, or nothing. Without `--watch` there
/// is no such state, so no page shows anything of the file.
#[derive(Debug, Default)]
pub struct WatchState {
    is_watched: bool,
    diagnostic: ArcSwapOption<String>,
}

impl WatchState {
    /// The state of a file that is watched, and has no mistake.
    #[must_use]
    pub fn watched() -> Self {
        Self { is_watched: true, diagnostic: ArcSwapOption::empty() }
    }

    /// Whether the file is watched.
    pub(crate) const fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Sets the diagnostics of the file, or removes them. Colours of a terminal are left out, and
    /// what is too long. Nothing happens if the file is not watched.
    pub fn report(&self, diagnostic: Option<&str>) {
        if self.is_watched {
            self.diagnostic.store(diagnostic.map(|text| Arc::new(bounded(&plain(text)))));
        }
    }

    /// The diagnostics of the file, if it has a mistake and the reader is on this machine. Nobody
    /// else needs to know what is in the file.
    pub(crate) fn diagnostic_for(&self, is_local: bool) -> Option<Arc<String>> {
        if is_local { self.diagnostic.load_full() } else { None }
    }

    /// A hash of the state: 0 as long as the file has no mistake.
    pub(crate) fn number(&self) -> u64 {
        self.diagnostic.load().as_ref().map_or(0, |text| StableHasher::new().text(text).finish())
    }
}

/// Removes the control sequences of a terminal (ECMA-48 §5.4) and other control characters.
fn plain(text: &str) -> String {
    let mut rest = text.trim_end().chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(letter) = rest.next() {
        match letter {
            '\x1b' if rest.as_str().starts_with('[') => {
                rest.next();
                rest.find(|end| ('@'..='~').contains(end));
            }
            '\n' | '\t' => plain.push(letter),
            _ if letter.is_control() => {}
            _ => plain.push(letter),
        }
    }
    plain
}

/// Cuts a text at the end of a line, if it is too long.
fn bounded(text: &str) -> String {
    if text.len() <= DIAGNOSTIC_BYTES_MAX {
        return text.to_owned();
    }
    let begun = &text[..text.floor_char_boundary(DIAGNOSTIC_BYTES_MAX)];
    let whole = begun.rfind('\n').map_or(begun, |end| &begun[..end]);
    [whole, "\n…"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_is_shown_without_colours() {
        let state = WatchState::watched();
        state.report(Some("\x1b[1m\x1b[38;5;9merror\x1b[0m: `a\x07b`\n\t<i>\x1b]\n"));
        assert_eq!(state.diagnostic_for(true).unwrap().as_str(), "error: `ab`\n\t<i>]");
        assert_ne!(state.number(), 0);
        assert_eq!(state.diagnostic_for(false), None);
        state.report(None);
        assert_eq!((state.diagnostic_for(true), state.number()), (None, 0));
    }

    #[test]
    fn a_long_diagnostic_is_cut() {
        let state = WatchState::watched();
        state.report(Some(&"é\n".repeat(DIAGNOSTIC_BYTES_MAX)));
        let cut = state.diagnostic_for(true).unwrap();
        assert!(cut.len() <= DIAGNOSTIC_BYTES_MAX + "\n…".len() && cut.ends_with("é\n…"));
        state.report(Some(&"x".repeat(DIAGNOSTIC_BYTES_MAX + 1)));
        assert!(state.diagnostic_for(true).unwrap().ends_with("x\n…"));
    }

    #[test]
    fn a_file_that_is_not_watched_has_no_state() {
        let state = WatchState::default();
        state.report(Some("error"));
        assert_eq!((state.diagnostic_for(true), state.number()), (None, 0));
    }
}
