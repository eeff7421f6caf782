//! Texts that match a pattern.

use nouns_runtime::model::pattern::to_regex;
use regex_syntax::{
    Parser,
    hir::{Class, Hir, HirKind},
};

use super::random::Random;

/// The largest number of repetitions beyond the smallest one.
const MORE_MAX: i64 = 6;

/// A text that matches a pattern, if nothing of the pattern is about the text around it. `None` for
/// a pattern that cannot be parsed.
pub(super) fn text(pattern: &str, random: &mut Random) -> Option<String> {
    let parsed = Parser::new().parse(&to_regex(pattern)).ok()?;
    let mut bytes = vec![];
    write(&parsed, random, &mut bytes)?;
    String::from_utf8(bytes).ok()
}

fn write(hir: &Hir, random: &mut Random, text: &mut Vec<u8>) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            text.extend_from_slice(&literal.0);
            Some(())
        }
        HirKind::Class(class) => {
            let letter = letter(class, random)?;
            text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            Some(())
        }
        HirKind::Repetition(repetition) => {
            let least = i64::from(repetition.min);
            let most = repetition.max.map_or(least + MORE_MAX, i64::from).min(least + MORE_MAX);
            let count = random.between(least, most);
            (0..count).try_for_each(|_| write(&repetition.sub, random, text))
        }
        HirKind::Capture(capture) => write(&capture.sub, random, text),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, random, text)),
        HirKind::Alternation(parts) => write(random.choose(parts)?, random, text),
    }
}

/// A letter of a class: a printable one of ASCII, if there is one.
fn letter(class: &Class, random: &mut Random) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => {
            class.iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
    };
    let clipped = |least: u32, most: u32| -> Vec<(u32, u32)> {
        let clip = |(from, to): &(u32, u32)| (*from.max(&least), *to.min(&most));
        ranges.iter().map(clip).filter(|(from, to)| from <= to).collect()
    };
    let plain = clipped('!'.into(), '~'.into());
    let (from, to) = *random.choose(if plain.is_empty() { &ranges } else { &plain })?;
    char::from_u32(u32::try_from(random.between(from.into(), to.into())).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_matches_its_pattern() {
        let mut random = Random::of(3);
        for pattern in [
            "^[A-Z]{3}-[0-9]+$",
            r"^\d{15}$",
            "^(a|bc|[x-z]+)?q*$",
            r"^\+?[0-9 ]{4,12}$",
            r"^\w+@\w+\.(com|org)$",
            "plain",
            r"^\p{Greek}{2}$",
            "^[^a-z]$",
            "(?i)^ab$",
        ] {
            for _ in 0..50 {
                let made = text(pattern, &mut random).unwrap();
                let yaml = "nouns: 1\nresources: { zoo: { fields: { code: { type: string, pattern: \"P\", example: \"E\" } } } }";
                let quote = |text: &str| text.replace('\\', r"\\").replace('"', "\\\"");
                let yaml = yaml.replace('P', &quote(pattern)).replace('E', &quote(&made));
                assert!(nouns_codegen::read_yaml("zoo.yaml", &yaml).is_ok(), "{pattern}: {made}");
            }
        }
        assert_eq!(text("(", &mut random), None);
    }
}
