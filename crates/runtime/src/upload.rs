//! Upload: the body of a request that is sent as it is read: bytes, a file or a stream, one after the
//! other.
//!
//! A stream can be read once, so a call whose stream has been read from is never retried: the
//! transport asks [`Upload::is_spent`] before each retry. It is read from only once the HTTP client
//! asks for the body, so a call that was never sent has it still.

use std::error::Error as StdError;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::stream::{Stream, TryStreamExt, try_unfold};
use tokio::task::spawn_blocking;

/// The number of bytes that are read of a file at a time.
const CHUNK: usize = 128 * 1024;

/// The content of a request's body, or of a part of one: bytes, a file or a stream.
///
/// Generated calls take anything that converts into it: bytes, text, or one of these:
///
/// ```no_run
/// # async fn example() -> std::io::Result<()> {
/// use podqueue_runtime::Upload;
///
/// let film = Upload::file("film.mp4").await?;
/// let chunks = futures_util::stream::iter([Ok::<_, std::io::Error>("some"), Ok("more")]);
/// let log = Upload::stream(chunks);
/// # let _ = (film, log);
/// # Ok(())
/// # }
/// ```
///
/// Of a file or a stream, only what is being sent is held in memory. Bytes and files are sent again
/// in each attempt at a call. A stream cannot be: once it has been read from, the call is not
/// retried, whatever its method, and a clone of it is refused. If the call must not take effect
/// twice, its error is [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) unless the service has
/// refused it.
///
/// An attempt may take a second longer for each 256 KiB of a known length. For a stream of an
/// unknown length, set the `timeout` of the call to what the whole transfer may take.
#[derive(Clone)]
pub struct Upload {
    pieces: Vec<Piece>,
}

#[derive(Clone)]
enum Piece {
    Bytes(Bytes),
    /// A file, opened for each attempt.
    File {
        path: PathBuf,
        length: u64,
    },
    Stream {
        stream: Once,
        length: Option<u64>,
    },
}

/// A stream, until it is read from.
type Once = Arc<Mutex<Option<Chunks>>>;

type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

type BoxError = Box<dyn StdError + Send + Sync>;

impl Upload {
    /// The content of a file, which is opened for each attempt and must not change until the call
    /// has ended. The request has its length.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or is none.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn file(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let opened = spawn_blocking(move || {
            let metadata = File::open(&path)?.metadata()?;
            match metadata.is_file() {
                true => Ok(Piece::File { path, length: metadata.len() }),
                false => Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a file")),
            }
        });
        Ok(Self { pieces: vec![opened.await.map_err(io::Error::other)??] })
    }

    /// The chunks of a stream, of any size, which are sent as they come. An error ends the request,
    /// and is the source of the call's error, which is not retryable:
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) of the field `body`, or
    /// [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if the call must not take effect twice.
    ///
    /// The request has no length and is sent in chunks, which not every service accepts; see
    /// [`length`](Self::length).
    pub fn stream<S, T, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        T: Into<Bytes> + 'static,
        E: Into<Box<dyn StdError + Send + Sync>> + 'static,
    {
        let chunks: Chunks = Box::pin(stream.map_ok(Into::into).map_err(Into::into));
        let stream = Arc::new(Mutex::new(Some(chunks)));
        Self { pieces: vec![Piece::Stream { stream, length: None }] }
    }

    /// States the number of bytes of a stream, so that the request has a length. If the stream has
    /// more or fewer, the call fails as it does after an error of the stream. Bytes and files have
    /// their own length.
    #[must_use]
    pub fn length(mut self, bytes: u64) -> Self {
        if let [Piece::Stream { length, .. }] = self.pieces.as_mut_slice() {
            *length = Some(bytes);
        }
        self
    }

    /// Joins uploads, one after the other.
    pub(crate) fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut held = BytesMut::new();
        for piece in all.into_iter().flat_map(|it| it.pieces) {
            match piece {
                Piece::Bytes(bytes) => held.extend_from_slice(&bytes),
                piece => {
                    let before = held.split().freeze();
                    pieces.extend((!before.is_empty()).then_some(Piece::Bytes(before)));
                    pieces.push(piece);
                }
            }
        }
        pieces.extend((!held.is_empty()).then(|| Piece::Bytes(held.freeze())));
        Self { pieces }
    }

    /// The bytes, if it is held in memory.
    pub(crate) fn held(&self) -> Option<&Bytes> {
        static NOTHING: Bytes = Bytes::new();
        match self.pieces.as_slice() {
            [] => Some(&NOTHING),
            [Piece::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// The number of bytes, if it is known.
    pub(crate) fn known_length(&self) -> Option<u64> {
        let lengths = self.pieces.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => Some(bytes.len() as u64),
            Piece::File { length, .. } => Some(*length),
            Piece::Stream { length, .. } => *length,
        });
        lengths.sum()
    }

    /// Returns true if a stream has been read from, so that it cannot be sent again.
    pub(crate) fn is_spent(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Stream { stream, .. } => lock(stream).is_none(),
            _ => false,
        })
    }

    /// The content, to be sent once. Nothing is read before it is polled.
    pub(crate) fn outgoing(&self) -> Outgoing {
        let length = self.known_length();
        let has_stream = self.pieces.iter().any(|it| matches!(it, Piece::Stream { .. }));
        let pieces = self.pieces.clone().into_iter();
        let (current, last) = (None, None);
        Outgoing { pieces, current, length, left: length, last, has_stream, is_over: false }
    }
}

fn lock(stream: &Once) -> std::sync::MutexGuard<'_, Option<Chunks>> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Piece {
    fn open(self) -> Chunks {
        match self {
            Self::Bytes(bytes) => Box::pin(futures_util::stream::iter([Ok(bytes)])),
            Self::File { path, .. } => Box::pin(read(path)),
            Self::Stream { stream, .. } => {
                let taken = lock(&stream).take();
                let sent = || Box::pin(futures_util::stream::iter([Err(SENT.into())])) as Chunks;
                taken.unwrap_or_else(sent)
            }
        }
    }
}

/// The rule that a second request with the same stream breaks.
pub(crate) const SENT: &str = "is a stream that has been sent, and cannot be sent again";

/// The content of a file. Files have no asynchronous interface, so each chunk is read in a thread
/// for such work.
fn read(path: PathBuf) -> impl Stream<Item = Result<Bytes, BoxError>> {
    let chunk = |path: &Path, file: Option<File>| -> io::Result<_> {
        let mut file = file.map_or_else(|| File::open(path), Ok)?;
        let mut chunk = BytesMut::zeroed(CHUNK);
        let read = file.read(&mut chunk)?;
        chunk.truncate(read);
        Ok((read > 0).then(|| (chunk.freeze(), Some(file))))
    };
    try_unfold(None, move |file| {
        let path = path.clone();
        async move {
            let read = spawn_blocking(move || chunk(&path, file)).await?;
            read.map_err(BoxError::from)
        }
    })
}

/// An upload that is being sent.
pub(crate) struct Outgoing {
    pieces: std::vec::IntoIter<Piece>,
    current: Option<Chunks>,
    /// The number of bytes of the whole, if it is known.
    length: Option<u64>,
    /// The number of bytes that are still to be read, if the length is known.
    left: Option<u64>,
    /// The chunk that completes a known length: it is sent only once nothing follows, since the HTTP
    /// client would not ask for what is beyond the length.
    last: Option<Bytes>,
    has_stream: bool,
    is_over: bool,
}

impl Outgoing {
    /// The number of bytes that are still to be sent, if it is known.
    pub(crate) fn left(&self) -> Option<u64> {
        // The HTTP client would not ask for a body of no bytes, whatever its stream has.
        if self.length == Some(0) && self.has_stream {
            return None;
        }
        let held = self.last.as_ref().map_or(0, Bytes::len);
        self.left.map(|left| left + held as u64)
    }

    pub(crate) fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BoxError>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let chunk = ready!(self.poll_next(context));
        self.is_over = !matches!(&chunk, Some(Ok(_)));
        Poll::Ready(chunk)
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        loop {
            let Some(chunks) = &mut self.current else {
                match self.pieces.next() {
                    Some(piece) => self.current = Some(piece.open()),
                    None if self.left.is_some_and(|left| left > 0) => {
                        return Poll::Ready(Some(Err(self.wrong_length("shorter"))));
                    }
                    None => return Poll::Ready(self.last.take().map(Ok)),
                }
                continue;
            };
            let chunk = match ready!(chunks.as_mut().poll_next(context)) {
                Some(Ok(chunk)) if chunk.is_empty() => continue,
                Some(Ok(chunk)) => chunk,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    self.current = None;
                    continue;
                }
            };
            let Some(left) = &mut self.left else { return Poll::Ready(Some(Ok(chunk))) };
            match left.checked_sub(chunk.len() as u64) {
                Some(0) => {
                    *left = 0;
                    self.last = Some(chunk);
                }
                Some(rest) => {
                    *left = rest;
                    return Poll::Ready(Some(Ok(chunk)));
                }
                None => {
                    self.last = None;
                    return Poll::Ready(Some(Err(self.wrong_length("longer"))));
                }
            }
        }
    }

    fn wrong_length(&self, comparison: &'static str) -> BoxError {
        WrongLength { comparison, length: self.length.unwrap_or_default() }.into()
    }
}

/// The error of a body whose length is not the stated one.
#[derive(Debug)]
pub(crate) struct WrongLength {
    comparison: &'static str,
    length: u64,
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { comparison, length } = self;
        write!(f, "the body is {comparison} than its stated length of {length} bytes")
    }
}

impl StdError for WrongLength {}

impl<T: Into<Bytes>> From<T> for Upload {
    fn from(bytes: T) -> Self {
        Self { pieces: vec![Piece::Bytes(bytes.into())] }
    }
}

impl fmt::Debug for Upload {
    /// Shows the length, if it is known, and never the content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known_length() {
            Some(length) => write!(f, "{length} bytes"),
            None => f.write_str("a stream"),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::poll_fn;
    use futures_util::stream::iter;

    use super::*;

    async fn sent(upload: &Upload) -> Result<Vec<u8>, String> {
        let mut outgoing = upload.outgoing();
        let mut all = Vec::new();
        while let Some(chunk) = poll_fn(|context| outgoing.poll_chunk(context)).await {
            all.extend_from_slice(&chunk.map_err(|error| error.to_string())?);
        }
        assert!(poll_fn(|context| outgoing.poll_chunk(context)).await.is_none(), "it is over");
        Ok(all)
    }

    fn stream(chunks: &[&'static str]) -> Upload {
        let chunks: Vec<_> = chunks.iter().map(|it| Ok::<_, io::Error>(*it)).collect();
        Upload::stream(iter(chunks))
    }

    #[tokio::test]
    async fn a_stream_is_sent_once() {
        let upload = stream(&["some", "", "more"]);
        assert!(!upload.is_spent());
        let untouched = upload.outgoing();
        drop(untouched);
        assert!(!upload.is_spent(), "nothing was read");
        assert_eq!(sent(&upload.clone()).await.as_deref(), Ok(&b"somemore"[..]));
        assert!(upload.is_spent());
        assert_eq!(sent(&upload).await, Err(SENT.to_owned()));
    }

    #[tokio::test]
    async fn a_stream_has_the_stated_length() {
        assert_eq!(sent(&stream(&["ab", "c"]).length(3)).await.as_deref(), Ok(&b"abc"[..]));
        for (length, rule) in [(2, "longer"), (1, "longer"), (0, "longer"), (4, "shorter")] {
            let error = sent(&stream(&["ab", "c"]).length(length)).await;
            let expected = format!("the body is {rule} than its stated length of {length} bytes");
            assert_eq!(error, Err(expected), "{length}");
        }
        assert_eq!(sent(&stream(&[]).length(0)).await.as_deref(), Ok(&b""[..]));
        // A body with a length of zero would never be read.
        assert_eq!(stream(&["a"]).length(0).outgoing().left(), None);
        assert_eq!(Upload::from("").outgoing().left(), Some(0));
    }

    #[tokio::test]
    async fn pieces_are_sent_one_after_the_other() {
        let joined = Upload::joined([Upload::from("a"), "b".into(), stream(&["c"]), "d".into()]);
        assert_eq!((joined.pieces.len(), joined.known_length()), (3, None));
        assert_eq!(sent(&joined).await.as_deref(), Ok(&b"abcd"[..]));
        let held = Upload::joined([Upload::from("a"), Upload::from(vec![b'b'])]);
        assert_eq!(
            (held.held().map(|it| &it[..]), held.known_length()),
            (Some(&b"ab"[..]), Some(2))
        );
        let known = Upload::joined([Upload::from("a"), stream(&["bc"]).length(2)]);
        assert_eq!((known.known_length(), known.held().is_none()), (Some(3), true));
        assert_eq!(format!("{known:?} {joined:?}"), "3 bytes a stream");
    }

    #[tokio::test]
    async fn a_file_is_read_in_each_attempt() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("podqueue-upload-{}", std::process::id()));
        let content = vec![7; 2 * CHUNK + 1];
        std::fs::write(&path, &content)?;
        let upload = Upload::file(&path).await?;
        assert_eq!(upload.known_length(), Some(content.len() as u64));
        for _ in 0..2 {
            assert_eq!(sent(&upload).await, Ok(content.clone()));
        }
        std::fs::write(&path, &content[1..])?;
        let rule = format!("the body is shorter than its stated length of {} bytes", content.len());
        assert_eq!(sent(&upload).await, Err(rule));
        std::fs::remove_file(&path)?;
        assert!(sent(&upload).await.is_err(), "the file is gone");
        let folder = Upload::file(std::env::temp_dir()).await;
        assert_eq!(
            folder.map_err(|error| error.to_string()).err().as_deref(),
            Some("this is not a file")
        );
        assert!(Upload::file(&path).await.is_err());
        Ok(())
    }
}
