//! Frames: how many bytes follow, then the bytes.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::patience::{Patience, worked};

/// The version of what goes through the socket. Both ends are the same program, so it only guards against one that was
/// replaced while the server ran.
pub const VERSION: u16 = 1;

/// The longest frame, in bytes: a game's whole state with its texts stays well below.
pub const FRAME_BYTES_MAX: u32 = 256 << 20;

/// The first frame of a worker, sent when it has locked itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
pub struct Hello {
    /// Which protocol it speaks.
    pub version: u16,
    /// What the system did not let it give away, in words.
    pub lacks: Vec<String>,
}

/// Bytes of a message.
///
/// # Errors
/// Fails where a message cannot be written as bytes, which is a bug.
pub fn bytes<T: Serialize + ?Sized>(message: &T) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(message).map_err(io::Error::other)
}

/// A message of bytes.
///
/// # Errors
/// Fails where the bytes are not exactly one message of that kind.
pub fn message<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(invalid(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(invalid(error.to_string())),
    }
}

fn length(payload: &[u8]) -> io::Result<[u8; 4]> {
    let length = u32::try_from(payload.len()).ok();
    let length = length.filter(|length| *length <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::other("a frame that is too long"))?;
    Ok(length.to_le_bytes())
}

fn checked(length: [u8; 4]) -> io::Result<u32> {
    let length = u32::from_le_bytes(length);
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a frame that is too long",
        ));
    }
    Ok(length)
}

/// How many bytes are set aside for a frame before it arrives. Most frames fit and are read in one go. A longer one grows as its bytes
/// come in, so announcing a length costs no more than this.
fn room_for(length: u32) -> usize {
    (length as usize).min(64 << 10)
}

/// Writes a frame.
///
/// # Errors
/// Fails where the other end is gone.
pub fn write(mut to: impl Write, payload: &[u8]) -> io::Result<()> {
    let mut whole = length(payload)?.to_vec();
    whole.extend_from_slice(payload);
    to.write_all(&whole)
}

/// Reads a frame.
///
/// # Errors
/// Fails where the other end is gone, or sends what is no frame.
pub fn read(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = checked(length)?;
    let mut payload = vec![0; room_for(length)];
    from.read_exact(&mut payload)?;
    let rest = u64::from(length) - payload.len() as u64;
    from.take(rest).read_to_end(&mut payload)?;
    if payload.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(payload)
}

/// A socket that is read and written until a moment at the latest.
pub(crate) struct Until<'a> {
    socket: &'a UnixStream,
    end: Instant,
    /// With which process there is patience.
    patience: Option<(u32, Patience)>,
    /// For how long it may look for answers yet.
    looks_for: Duration,
}

impl<'a> Until<'a> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline is kept by the clock: what is judged does not depend on it but by ending or not"
    )]
    pub(crate) fn after(socket: &'a UnixStream, time: Duration) -> Self {
        Self {
            socket,
            end: Instant::now() + time,
            patience: None,
            looks_for: LOOKS_FOR,
        }
    }

    /// The same, and longer where the process at the other end has no processor.
    pub(crate) fn with_patience(self, process: u32, patience: Patience) -> Self {
        Self {
            patience: Some((process, patience)),
            ..self
        }
    }

    /// The worker had had a processor for `so_far` when so much of its time was left: what it does from there on counts.
    pub(crate) fn measures(&mut self, so_far: Duration, left: Duration) {
        if let Some((_, patience)) = &mut self.patience {
            patience.measures(so_far, left);
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline is kept by the clock: what is judged does not depend on it but by ending or not"
    )]
    fn left(&mut self) -> io::Result<Duration> {
        let now = Instant::now();
        if self.end <= now {
            let longer = self
                .patience
                .as_mut()
                .and_then(|(process, patience)| patience.longer(worked(*process)));
            self.end = now + longer.ok_or(io::ErrorKind::TimedOut)?;
        }
        Ok(self.end.duration_since(now))
    }
}

/// For how long an answer is looked for on one line before this thread goes to sleep. To wake one takes longer than most answers do on
/// some machines.
const LOOKS_FOR: Duration = Duration::from_micros(500);

/// Whether a thread looks for an answer. One may: others would only take processors from those who answer.
static LOOKS: AtomicBool = AtomicBool::new(false);

impl Until<'_> {
    /// What comes within a moment; nothing where that is over, or another thread looks for its own answer already.
    #[expect(
        clippy::disallowed_methods,
        reason = "how long it is looked for decides nothing but whether this thread sleeps"
    )]
    fn read_soon(&mut self, buffer: &mut [u8], left: Duration) -> io::Result<Option<usize>> {
        let looks_for = self.looks_for.min(left);
        if looks_for.is_zero() || LOOKS.swap(true, Ordering::Acquire) {
            return Ok(None);
        }
        let begin = Instant::now();
        let mut looked = Duration::ZERO;
        let read = self.socket.set_nonblocking(true).and_then(|()| {
            while looked < looks_for {
                match self.socket.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        std::thread::yield_now();
                        looked = begin.elapsed();
                    }
                    read => {
                        looked = begin.elapsed();
                        return read.map(Some);
                    }
                }
            }
            Ok(None)
        });
        LOOKS.store(false, Ordering::Release);
        self.looks_for = self.looks_for.saturating_sub(looked);
        self.socket.set_nonblocking(false)?;
        read
    }
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.left()?;
            if let Some(read) = self.read_soon(buffer, left)? {
                return Ok(read);
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(buffer) {
                Err(error) if is_over(&error) => {}
                read => return read,
            }
        }
    }
}

impl Write for Until<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a frame without holding up the thread.
pub(crate) async fn send(to: &mut tokio::net::UnixStream, payload: &[u8]) -> io::Result<()> {
    to.write_all(&length(payload)?).await?;
    to.write_all(payload).await
}

/// Reads a frame without holding up the thread.
pub(crate) async fn receive(from: &mut tokio::net::UnixStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).await?;
    let length = checked(length)?;
    let mut payload = vec![0; room_for(length)];
    from.read_exact(&mut payload).await?;
    let mut rest = from.take(u64::from(length) - payload.len() as u64);
    rest.read_to_end(&mut payload).await?;
    if payload.len() < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(payload)
}

/// Whether the time was over before the other side had answered.
pub fn is_over(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_reads_back() {
        let mut sent = Vec::new();
        write(&mut sent, b"some bytes").unwrap();
        assert_eq!(read(sent.as_slice()).unwrap(), b"some bytes");
    }

    /// Counts how often it is read.
    struct Counted<'a>(&'a [u8], usize);

    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            Read::read(&mut self.0, buffer)
        }
    }

    #[test]
    fn a_frame_that_is_there_is_read_at_once() {
        let mut sent = Vec::new();
        write(&mut sent, &vec![7; 50_000]).unwrap();
        let mut from = Counted(&sent, 0);
        assert_eq!(read(&mut from).unwrap(), vec![7; 50_000]);
        assert_eq!(from.1, 2, "its length and its bytes");
    }

    #[test]
    fn half_a_frame_and_one_that_is_too_long_are_refused() {
        let mut sent = Vec::new();
        write(&mut sent, b"some bytes").unwrap();
        sent.pop();
        let half = read(sent.as_slice()).unwrap_err();
        assert_eq!(half.kind(), io::ErrorKind::UnexpectedEof);
        let long = read([0xff_u8; 8].as_slice()).unwrap_err();
        assert_eq!(long.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_message_with_bytes_after_it_is_refused() {
        let mut sent = bytes(&7_u64).unwrap();
        assert_eq!(message::<u64>(&sent).unwrap(), 7);
        sent.push(0);
        assert!(message::<u64>(&sent).is_err());
    }

    #[test]
    fn whoever_says_nothing_is_waited_for_no_longer_than_was_said() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let late = read(Until::after(&ours, Duration::from_millis(30))).unwrap_err();
        let kinds = [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock];
        assert!(kinds.contains(&late.kind()), "{late}");
    }

    #[test]
    fn those_who_wait_at_once_all_get_their_answers() {
        let pairs: Vec<_> = (0..8).map(|_| UnixStream::pair().unwrap()).collect();
        let waits = pairs.into_iter().map(|(ours, theirs)| {
            let reads = move || read(Until::after(&ours, Duration::from_secs(20))).unwrap();
            (theirs, std::thread::spawn(reads))
        });
        let waits: Vec<_> = waits.collect();
        for (nth, (mut theirs, reads)) in waits.into_iter().enumerate() {
            let answer = [u8::try_from(nth).unwrap(); 3];
            write(&mut theirs, &answer).unwrap();
            assert_eq!(reads.join().unwrap(), answer);
        }
    }

    #[test]
    fn whoever_never_stops_talking_is_listened_to_no_longer_than_was_said() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let talks = std::thread::spawn(move || while write(&theirs, b"and").is_ok() {});
        let mut line = Until::after(&ours, Duration::from_millis(30));
        let late = loop {
            if let Err(error) = read(&mut line) {
                break error;
            }
        };
        assert!(is_over(&late), "{late}");
        drop(ours);
        talks.join().unwrap();
    }
}
