#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nouns_fuzz::shape(bytes));
