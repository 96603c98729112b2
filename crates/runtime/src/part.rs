//! Part of a `multipart/form-data` body.

use std::fmt;

use crate::upload::Upload;

/// A part of a `multipart/form-data` body: a file, or text.
///
/// ```
/// use podqueue_runtime::Part;
///
/// let picture = Part::file("dawn.png", b"pixels".to_vec()).content_type("image/png");
/// let caption = Part::text("Dawn");
/// ```
///
/// Bytes are held in memory, and shared by all attempts at a call. A file or a stream that is not is
/// an [`Upload`]: `Part::file("film.mp4", Upload::file("film.mp4").await?)`. `Debug` shows only the
/// length of the content.
#[derive(Clone)]
pub struct Part {
    pub(crate) file_name: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) content: Upload,
}

impl Part {
    /// Creates a file with a name, which the service may see but need not use. The content type is
    /// that of the description, or else `application/octet-stream`.
    pub fn file(name: impl Into<String>, content: impl Into<Upload>) -> Self {
        Self { file_name: Some(name.into()), content_type: None, content: content.into() }
    }

    /// Creates a part without a file name. The content type is that of the description, or else
    /// none, which means plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { file_name: None, content_type: None, content: Upload::from(text.into()) }
    }

    /// Sets the content type, such as `image/png`. A call with an invalid content type is refused.
    #[must_use]
    pub fn content_type(mut self, media: impl Into<String>) -> Self {
        self.content_type = Some(media.into());
        self
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("file_name", &self.file_name)
            .field("content_type", &self.content_type)
            .field("content", &self.content)
            .finish()
    }
}
