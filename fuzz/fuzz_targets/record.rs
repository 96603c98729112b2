//! Status record of a job.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| podqueue::__private::fuzz::record(data));
