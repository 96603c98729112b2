//! Webhook call of the service about a job that has ended.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::webhook(data));
