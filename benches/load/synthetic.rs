//! Creates schemas with any number of resources, four levels deep, with eight fields each.

use std::fmt::Write as _;

/// The name of a resource: its number, spelled in letters. The name has a regular plural.
pub(crate) fn noun(at: usize) -> String {
    let letters = b"bdfgklmnpr";
    let digits = format!("{at:04}");
    let word: String =
        digits.bytes().map(|digit| char::from(letters[usize::from(digit - b'0')])).collect();
    format!("part_{word}")
}

/// The YAML text of a schema with this many resources.
pub(crate) fn schema(resources: usize) -> String {
    let mut text = String::from("nouns: 1\nresources:\n");
    for at in 0..resources {
        let parent =
            if at % 4 == 0 { String::new() } else { format!("    parent: {}\n", noun(at - 1)) };
        let other = noun(at.saturating_sub(4));
        write!(
            text,
            "  {}:\n{parent}    fields:\n      name: {{ type: string, required: true, max_length: 80 }}\n      \
             code: {{ type: string, unique: true }}\n      rank: {{ type: integer, index: true, minimum: 0 }}\n      \
             weight: {{ type: number, minimum: 0 }}\n      price: {{ type: decimal, scale: 2 }}\n      \
             tame: {{ type: boolean, default: false }}\n      born: date\n      \
             other_id: {{ references: {{ resource: {other}, as: other, on_delete: set_null }} }}\n",
            noun(at)
        )
        .expect("writing to a `String` cannot fail");
    }
    text
}
