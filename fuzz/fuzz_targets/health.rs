//! Health report, and response to a purge.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::health(data));
