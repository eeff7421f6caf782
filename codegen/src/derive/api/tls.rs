//! Reads the calls `tls` and `hsts`.

use super::{Call, calls, string};
use crate::derive::reader::Reader;
use crate::draft::{Entry, Value};
use syn::spanned::Spanned as _;

impl Call<'_> {
    /// The entry `hsts` from `Hsts::new(…)` and its calls.
    pub(super) fn hsts(&self, reader: &mut Reader) -> Option<Entry> {
        let given = self.arguments.first();
        let Some((calls, at)) = given.and_then(|given| Some((calls(given, "Hsts")?, given.span())))
        else {
            self.refuse("`Hsts::new(…)`", reader);
            return None;
        };
        let entries = calls.iter().filter_map(|call| match call.name.as_str() {
            "new" => call.duration("max_age", reader),
            "include_subdomains" | "preload" => call.flag(reader),
            _ => None,
        });
        let entries = entries.collect();
        Some(self.entry(&self.name, Value::Map(entries), at))
    }

    /// The entry `tls`, a mapping of two files, from the two strings of a call.
    pub(super) fn tls(&self, reader: &mut Reader) -> Option<Entry> {
        let texts = match self.arguments.as_slice() {
            [certificate, key] => string(certificate).zip(string(key)),
            _ => None,
        };
        let Some(((certificate, certificate_at), (key, key_at))) = texts else {
            self.refuse("the files of a certificate and its key, as two strings", reader);
            return None;
        };
        let certificate = self.entry("certificate", Value::Text(certificate), certificate_at);
        let key = self.entry("key", Value::Text(key), key_at);
        Some(self.entry(&self.name, Value::Map(vec![certificate, key]), certificate_at))
    }
}
