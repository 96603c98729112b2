//! Body of an error response.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::error_body(data));
