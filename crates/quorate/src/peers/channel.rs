//! An encrypted channel between two who know the same key.

use std::io;
use std::sync::Arc;

use quorate_runtime::judge::Secret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use snow::{Builder, HandshakeState, StatelessTransportState};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// How the channel is made, in the words of the Noise protocol.
const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";

/// What both ends must speak; it changes when the messages do.
const PROLOGUE: &[u8] = b"quorate nodes 1";

/// The longest piece on the wire, as the protocol has it.
const PIECE_MAX: usize = 65_535;

/// What the proof of a piece takes of it.
const PROOF: usize = 16;

/// The longest message, in bytes.
const MESSAGE_MAX: usize = 64 << 20;

/// The end that sends.
pub(super) struct Sending {
    state: Arc<StatelessTransportState>,
    stream: OwnedWriteHalf,
    nonce: u64,
}

/// The end that receives.
pub(super) struct Receiving {
    state: Arc<StatelessTransportState>,
    stream: OwnedReadHalf,
    nonce: u64,
}

fn invalid(what: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}

/// Makes the channel from the side that connects.
pub(super) async fn open(mut stream: TcpStream, key: &Secret) -> io::Result<(Sending, Receiving)> {
    let mut state = builder(key)?.build_initiator().map_err(invalid)?;
    say(&mut state, &mut stream).await?;
    hear(&mut state, &mut stream).await?;
    halves(state, stream)
}

/// Makes the channel from the side that was connected to.
pub(super) async fn take(mut stream: TcpStream, key: &Secret) -> io::Result<(Sending, Receiving)> {
    let mut state = builder(key)?.build_responder().map_err(invalid)?;
    hear(&mut state, &mut stream).await?;
    say(&mut state, &mut stream).await?;
    halves(state, stream)
}

fn builder(key: &Secret) -> io::Result<Builder<'_>> {
    let pattern = PATTERN.parse().map_err(invalid)?;
    let builder = Builder::new(pattern).psk(0, key).map_err(invalid)?;
    builder.prologue(PROLOGUE).map_err(invalid)
}

async fn say(state: &mut HandshakeState, stream: &mut TcpStream) -> io::Result<()> {
    let mut piece = [0; 256];
    let length = state.write_message(&[], &mut piece).map_err(invalid)?;
    stream.write_all(&piece_length(length)?).await?;
    stream.write_all(&piece[..length]).await
}

async fn hear(state: &mut HandshakeState, stream: &mut TcpStream) -> io::Result<()> {
    let mut piece = [0; 256];
    let length = usize::from(stream.read_u16_le().await?);
    let piece = piece
        .get_mut(..length)
        .ok_or_else(|| invalid("a greeting that is too long"))?;
    stream.read_exact(piece).await?;
    state.read_message(piece, &mut []).map_err(invalid)?;
    Ok(())
}

fn halves(state: HandshakeState, stream: TcpStream) -> io::Result<(Sending, Receiving)> {
    let state = Arc::new(state.into_stateless_transport_mode().map_err(invalid)?);
    let (read, write) = stream.into_split();
    let sending = Sending {
        state: Arc::clone(&state),
        stream: write,
        nonce: 0,
    };
    let receiving = Receiving {
        state,
        stream: read,
        nonce: 0,
    };
    Ok((sending, receiving))
}

fn piece_length(length: usize) -> io::Result<[u8; 2]> {
    let length = u16::try_from(length).map_err(invalid)?;
    Ok(length.to_le_bytes())
}

impl Sending {
    /// Sends a message.
    pub(super) async fn send<T: Serialize + Sync>(&mut self, message: &T) -> io::Result<()> {
        let body = postcard::to_stdvec(message).map_err(invalid)?;
        let length = u32::try_from(body.len()).map_err(invalid)?;
        let mut whole = length.to_le_bytes().to_vec();
        whole.extend_from_slice(&body);
        let mut wire = Vec::with_capacity(whole.len() + 64);
        let mut piece = vec![0; PIECE_MAX];
        for part in whole.chunks(PIECE_MAX - PROOF) {
            let length = self
                .state
                .write_message(self.nonce, part, &mut piece)
                .map_err(invalid)?;
            self.nonce += 1;
            wire.extend_from_slice(&piece_length(length)?);
            wire.extend_from_slice(&piece[..length]);
        }
        self.stream.write_all(&wire).await
    }
}

impl Receiving {
    /// The next message.
    pub(super) async fn receive<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut whole = Vec::new();
        loop {
            let length = usize::from(self.stream.read_u16_le().await?);
            let mut piece = vec![0; length];
            self.stream.read_exact(&mut piece).await?;
            let mut part = vec![0; length];
            let length = self
                .state
                .read_message(self.nonce, &piece, &mut part)
                .map_err(invalid)?;
            self.nonce += 1;
            whole.extend_from_slice(&part[..length]);
            let Some((head, body)) = whole.split_first_chunk() else {
                return Err(invalid("a message that is too short"));
            };
            let wanted = usize::try_from(u32::from_le_bytes(*head)).map_err(invalid)?;
            if wanted > MESSAGE_MAX || body.len() > wanted {
                return Err(invalid("a message that is too long"));
            }
            if body.len() == wanted {
                return postcard::from_bytes(body).map_err(invalid);
            }
        }
    }
}
