#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| nouns_fuzz::rust(text));
