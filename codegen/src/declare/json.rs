//! Converts JSON to the syntax of attributes: `{"a":[1,"b"]}` becomes `{ a = [1, "b"] }`. Numbers
//! keep their digits.

use super::{names::ident, value};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

/// A JSON text as the value of an attribute key.
pub(super) fn value(json: &str) -> TokenStream {
    JsonReader { rest: json }.value()
}

/// A reader of valid JSON text. `rest` is the text that is not read yet.
struct JsonReader<'j> {
    rest: &'j str,
}

impl<'j> JsonReader<'j> {
    fn value(&mut self) -> TokenStream {
        match self.peek() {
            '{' => {
                let entries = self.sequence('}', Self::entry);
                quote!({ #(#entries),* })
            }
            '[' => value::list(self.sequence(']', Self::value)),
            '"' => value::text(&self.text()),
            't' | 'f' | 'n' => {
                ident(self.take(|character| character.is_ascii_lowercase())).to_token_stream()
            }
            _ => {
                value::number(self.take(|character| {
                    character.is_ascii_alphanumeric() || "+-.".contains(character)
                }))
            }
        }
    }

    fn entry(&mut self) -> TokenStream {
        let key = self.text();
        self.skip(':');
        let (key, value) = (self::key(&key), self.value());
        quote!(#key = #value)
    }

    /// Reads the items of a list or mapping. The next character is the opening bracket, and `end`
    /// is the closing bracket.
    fn sequence(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Self) -> TokenStream,
    ) -> Vec<TokenStream> {
        let mut items = Vec::new();
        self.rest = &self.rest[1..];
        while self.peek() != end {
            items.push(item(self));
            self.skip(',');
        }
        self.rest = &self.rest[1..];
        items
    }

    fn text(&mut self) -> String {
        self.peek();
        let quoted = self.rest;
        let mut escaped = true;
        self.take(|character| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            !ends
        });
        self.skip('"');
        let end = quoted.len() - self.rest.len();
        serde_json::from_str(quoted[..end].trim_end())
            .expect("the string in a valid JSON text is valid JSON")
    }

    /// Skips white space, and returns the next character without skipping it.
    fn peek(&mut self) -> char {
        self.rest = self.rest.trim_start();
        self.rest.chars().next().expect("a valid JSON text does not end inside a value")
    }

    /// Skips white space, and then `character` if it follows.
    fn skip(&mut self, character: char) {
        self.rest = self.rest.trim_start();
        self.rest = self.rest.strip_prefix(character).unwrap_or(self.rest);
    }

    fn take(&mut self, mut belongs: impl FnMut(char) -> bool) -> &'j str {
        let end = self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

/// A key as an identifier if possible, otherwise as a string.
pub(super) fn key(key: &str) -> TokenStream {
    if value::is_word(key) { ident(key).to_token_stream() } else { value::text(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_written_as_attributes_write_values() {
        let cases = [
            ("null", "null"),
            ("-2.50", "- 2.50"),
            (
                r#"{"a":[1,"b",true],"x y":{},"c":[]}"#,
                r#"{ a = [1 , "b" , true] , "x y" = { } , c = [] }"#,
            ),
            (r#""a\"b\\""#, r###"r#"a"b\"#"###),
            (" { \"a\" : [ 1 , 2 ] } ", "{ a = [1 , 2] }"),
            (r#"["a,]}\\",99999999999999999999]"#, r#"[r"a,]}\" , 99999999999999999999]"#),
        ];
        for (json, tokens) in cases {
            assert_eq!(value(json).to_string(), tokens, "{json}");
        }
    }
}
