//! `Retry-After` header.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::retry_after_header(data));
