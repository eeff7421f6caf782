//! JSON in the grammar of attributes: `{"a":[1,"b"]}` is `{ a = [1, "b"] }`; numbers keep their
//! digits.

use super::{names::ident, value};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

/// A JSON text as a value of an attribute.
pub(super) fn value(json: &str) -> TokenStream {
    Reader { rest: json }.value()
}

/// What is left of a JSON text, which is known to be good.
struct Reader<'j> {
    rest: &'j str,
}

impl<'j> Reader<'j> {
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

    /// What stands between the next character and the one that closes it.
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
        serde_json::from_str(quoted[..end].trim_end()).expect("the text of a JSON value is JSON")
    }

    /// The next character after blanks; `"` of an empty text never ends a value that is known to be
    /// good.
    fn peek(&mut self) -> char {
        self.rest = self.rest.trim_start();
        self.rest.chars().next().expect("the text of a JSON value does not end in the midst of it")
    }

    /// Passes a character over, if it is the next one.
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

/// A key: an identifier if it can be one.
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
