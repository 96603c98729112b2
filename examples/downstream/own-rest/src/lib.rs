//! The calls of the descriptions in `openapi/`, one module for each.

/// Pictures, of a service whose paths have a version.
pub mod gallery {
    podqueue::include_rest!("gallery");
}

/// A second description, of a service whose server has a path.
pub mod meter {
    podqueue::include_rest!("meter");
}
