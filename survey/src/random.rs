use crate::Failure;
use std::path::Path;
pub fn run(_: u64, _: Option<u64>) -> Result<bool, Failure> {
    todo!()
}
pub fn child(_: u64, _: u64, _: &Path) -> Result<bool, Failure> {
    todo!()
}
