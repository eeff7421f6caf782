//! The value of the flag `--slow-read` of `nouns serve`.

use std::{str::FromStr, time::Duration};

use nouns_codegen::schema::duration;

/// The duration from which a read is logged as slow. `None` disables the log of slow reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlowRead(pub(super) Option<Duration>);

impl FromStr for SlowRead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if ["0", "off"].contains(&text) {
            return Ok(Self(None));
        }
        let milliseconds = duration::milliseconds(text);
        let milliseconds = milliseconds.map_err(|rule| format!("it must be {rule}, or `off`"))?;
        Ok(Self((milliseconds > 0).then_some(Duration::from_millis(milliseconds))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_duration_or_off() {
        let slow_read = |text: &str| text.parse::<SlowRead>().map(|SlowRead(time)| time);
        assert_eq!(slow_read("100ms"), Ok(Some(Duration::from_millis(100))));
        assert_eq!(slow_read("2s"), Ok(Some(Duration::from_secs(2))));
        for none in ["0", "0ms", "off"] {
            assert_eq!(slow_read(none), Ok(None));
        }
        for wrong in ["", "100", "-1s", "1.5s", "never"] {
            let rule = "it must be a duration like `100ms`, `2s` or `5m`, or `off`";
            assert_eq!(slow_read(wrong), Err(rule.into()), "{wrong}");
        }
    }
}
