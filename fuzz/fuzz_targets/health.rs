//! A health report, and what a purge answers.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::health(data));
