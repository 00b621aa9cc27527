//! Packets: frames of a stream of bytes, each with its length and its number.

use super::{Fault, stream::Stream};

/// Bytes before the payload of a frame: three of its length, one of its number.
const HEADER_BYTES: usize = 4;
/// A frame with so many bytes of payload is gone on with in the next one.
const FRAME_BYTES_MAX: usize = 0xff_ffff;
/// Room for the bytes that a read may bring.
const READ_BYTES_MIN: usize = 4096;
/// Buffers larger than this are given back once what needed them is over.
const KEPT_BYTES_MAX: usize = 256 * 1024;

/// A stream cut into packets.
#[derive(Debug)]
pub(crate) struct Channel {
    stream: Stream,
    /// Packets that wait to be sent.
    out: Vec<u8>,
    /// What has come, of which all before `at` has been read.
    come: Vec<u8>,
    at: usize,
    /// Number of the next packet of either side.
    number: u8,
    /// Whether definitions of columns end with a packet of their own, as before 5.7.5.
    definitions_end: bool,
}

impl Channel {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, out: Vec::new(), come: Vec::new(), at: 0, number: 0, definitions_end: true }
    }

    /// True where nobody between the two sides can listen.
    pub(crate) fn is_private(&self) -> bool {
        self.stream.is_private()
    }

    /// Says whether definitions of columns end with a packet of their own.
    pub(crate) fn set_definitions_end(&mut self, definitions_end: bool) {
        self.definitions_end = definitions_end;
    }

    pub(crate) fn definitions_end(&self) -> bool {
        self.definitions_end
    }

    /// Gives the stream to `change` and goes on with what it returns.
    pub(crate) async fn transform<F: Future<Output = Result<Stream, E>>, E>(
        self,
        change: impl FnOnce(Stream) -> F,
    ) -> Result<Self, E> {
        Ok(Self { stream: change(self.stream).await?, ..self })
    }

    /// True where more has come than was read.
    pub(crate) fn has_unread(&self) -> bool {
        self.at < self.come.len()
    }

    /// Moves to the calling thread's ring, where that is possible.
    pub(crate) fn onto_ring(&mut self) -> bool {
        self.stream.onto_ring()
    }

    /// Starts a new conversation: the next packet is number 0.
    pub(crate) fn begin(&mut self) {
        self.number = 0;
        self.come.drain(..self.at);
        self.at = 0;
        self.out.clear();
        self.come.shrink_to(KEPT_BYTES_MAX.max(self.come.len()));
        self.out.shrink_to(KEPT_BYTES_MAX);
    }

    /// Starts one more command of several that are sent together: its packets are numbered from 0.
    pub(crate) fn begin_queued(&mut self) {
        self.number = 0;
    }

    /// Starts the reply to one of several commands that were sent together: it is numbered from
    /// 1, like the reply to any command.
    pub(crate) fn begin_reply(&mut self) {
        self.number = 1;
    }

    /// Appends a packet to those that wait to be sent.
    pub(crate) fn put(&mut self, payload: impl FnOnce(&mut Vec<u8>)) {
        let from = self.out.len();
        self.out.extend_from_slice(&[0; HEADER_BYTES]);
        payload(&mut self.out);
        let length = self.out.len() - from - HEADER_BYTES;
        if length < FRAME_BYTES_MAX {
            self.out[from..from + HEADER_BYTES].copy_from_slice(&header(length, self.number));
            self.number = self.number.wrapping_add(1);
        } else {
            self.split(from);
        }
    }

    /// Cuts the last packet, which starts at `from`, into frames. The last one is shorter than
    /// the longest, if need be empty: that is how its end is told.
    fn split(&mut self, from: usize) {
        let payload = self.out.split_off(from + HEADER_BYTES);
        self.out.truncate(from);
        let mut frames = payload.chunks_exact(FRAME_BYTES_MAX);
        for frame in frames.by_ref() {
            self.put_frame(frame);
        }
        self.put_frame(frames.remainder());
    }

    fn put_frame(&mut self, frame: &[u8]) {
        self.out.extend_from_slice(&header(frame.len(), self.number));
        self.out.extend_from_slice(frame);
        self.number = self.number.wrapping_add(1);
    }

    /// Sends what waits.
    pub(crate) async fn flush(&mut self) -> Result<(), Fault> {
        self.stream.send(&mut self.out).await?;
        self.out.clear();
        Ok(())
    }

    /// The payload of the next packet. What waits to be sent is sent first.
    pub(crate) async fn read(&mut self) -> Result<&[u8], Fault> {
        let Some((from, length)) = self.buffered() else { return self.read_more().await };
        self.accept(from, length)
    }

    /// Where the payload of the next packet is, if all of it has come in one frame.
    fn buffered(&self) -> Option<(usize, usize)> {
        let header = self.come[self.at..].first_chunk::<HEADER_BYTES>()?;
        let length = frame_length(header);
        let from = self.at + HEADER_BYTES;
        let whole = length < FRAME_BYTES_MAX && self.come.len() - from >= length;
        whole.then_some((from, length))
    }

    /// Takes note of the frame that has come.
    fn accept(&mut self, from: usize, length: usize) -> Result<&[u8], Fault> {
        let number = self.come[from - 1];
        self.at = from + length;
        let payload = &self.come[from..from + length];
        // A server that is about to hang up says why at any time, with a number of its own.
        if number != self.number && payload.first() != Some(&0xff) {
            return Err(Fault::nonsense("packets are out of order"));
        }
        self.number = number.wrapping_add(1);
        Ok(payload)
    }

    async fn read_more(&mut self) -> Result<&[u8], Fault> {
        loop {
            self.receive().await?;
            if let Some((from, length)) = self.buffered() {
                return self.accept(from, length);
            }
            if self.come[self.at..].first_chunk().map(frame_length) == Some(FRAME_BYTES_MAX) {
                return self.read_frames().await;
            }
        }
    }

    /// Reads a packet of several frames and closes the gaps between their payloads.
    async fn read_frames(&mut self) -> Result<&[u8], Fault> {
        let from = self.at + HEADER_BYTES;
        let mut end = from;
        let mut next = self.at;
        loop {
            while self.come.len() < next + HEADER_BYTES {
                self.fill().await?;
            }
            let length = self.come[next..].first_chunk().map_or(0, frame_length);
            let number = self.come[next + HEADER_BYTES - 1];
            while self.come.len() < next + HEADER_BYTES + length {
                self.fill().await?;
            }
            if number != self.number {
                return Err(Fault::nonsense("packets are out of order"));
            }
            self.number = number.wrapping_add(1);
            let payload = next + HEADER_BYTES;
            self.come.copy_within(payload..payload + length, end);
            end += length;
            next = payload + length;
            if length < FRAME_BYTES_MAX {
                self.at = next;
                return Ok(&self.come[from..end]);
            }
        }
    }

    /// Makes room and receives.
    async fn receive(&mut self) -> Result<(), Fault> {
        if self.at == self.come.len() {
            self.come.clear();
            self.at = 0;
        } else if self.at > KEPT_BYTES_MAX {
            self.come.drain(..self.at);
            self.at = 0;
        }
        self.fill().await
    }

    async fn fill(&mut self) -> Result<(), Fault> {
        // A long reply is met by ever larger reads.
        let room = READ_BYTES_MIN.max(self.come.len() / 2).min(KEPT_BYTES_MAX);
        if self.come.capacity() - self.come.len() < room.min(READ_BYTES_MIN) {
            self.come.reserve(room);
        }
        self.stream.exchange(&mut self.out, &mut self.come).await?;
        Ok(())
    }

    /// Hangs up at once, so that the server knows.
    pub(crate) fn break_off(&mut self) {
        self.stream = Stream::Gone;
    }

    /// Says that there will be no more, as far as that can be said without waiting.
    pub(crate) async fn close(&mut self) {
        // Nobody is interested in an error at this point.
        let _said = self.flush().await;
        self.stream.shut_down().await;
    }
}

fn header(length: usize, number: u8) -> [u8; HEADER_BYTES] {
    let [a, b, c, _] = (length as u32).to_le_bytes();
    [a, b, c, number]
}

fn frame_length(header: &[u8; HEADER_BYTES]) -> usize {
    let [a, b, c, _] = *header;
    u32::from_le_bytes([a, b, c, 0]) as usize
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::{io::AsyncWriteExt, net::UnixStream};

    fn pair() -> (Channel, Channel) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Channel::new(Stream::Unix(ours)), Channel::new(Stream::Unix(theirs)))
    }

    /// A channel to which these bytes come, and then nothing.
    async fn given(bytes: &[u8]) -> Channel {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(bytes).await.unwrap();
        Channel::new(Stream::Unix(ours))
    }

    #[tokio::test]
    async fn packets_of_any_length_arrive_whole_and_numbered() {
        let lengths = [0, 1, 5000, FRAME_BYTES_MAX - 1, FRAME_BYTES_MAX, FRAME_BYTES_MAX + 1, 7];
        let payload = |length: usize| (0..length).map(|n| (n % 251) as u8).collect::<Vec<_>>();
        let (mut ours, mut theirs) = pair();
        let send = async {
            for length in lengths {
                ours.put(|out| out.extend_from_slice(&payload(length)));
                ours.flush().await.unwrap();
            }
        };
        let receive = async {
            for length in lengths {
                assert!(theirs.read().await.unwrap() == payload(length), "{length} bytes");
            }
        };
        tokio::join!(send, receive);
        // Frames of the two long packets were numbered each.
        assert_eq!((ours.number, theirs.number), (9, 9));
    }

    #[tokio::test]
    async fn several_replies_that_come_at_once_are_read_one_by_one() {
        let mut channel = given(b"\x03\0\0\0one\x03\0\0\x01two\x05\0\0\x02three").await;
        for text in ["one", "two", "three"] {
            assert_eq!(channel.read().await.unwrap(), text.as_bytes());
        }
    }

    #[tokio::test]
    async fn a_packet_out_of_order_is_no_reply_unless_it_is_an_error() {
        assert!(given(b"\x01\0\0\x07\0").await.read().await.is_err());
        assert!(given(b"\x01\0\0\x07\xff").await.read().await.is_ok());
    }

    #[tokio::test]
    async fn an_end_in_the_middle_is_told() {
        for bytes in [&b"\x05\0\0\0abc"[..], b"\x05\0", b"\xff\xff\xff\0abc", b""] {
            let outcome = given(bytes).await.read().await.map(<[u8]>::to_vec);
            let Err(Fault::Io(error)) = outcome else { panic!("{bytes:?}: {outcome:?}") };
            assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
        }
    }

    #[tokio::test]
    async fn a_large_reply_does_not_keep_its_memory() {
        let (mut ours, mut theirs) = pair();
        let long = vec![b'x'; 8 << 20];
        let send = async {
            theirs.put(|out| out.extend_from_slice(&long));
            theirs.flush().await.unwrap();
        };
        let receive = async { assert_eq!(ours.read().await.unwrap().len(), long.len()) };
        tokio::join!(send, receive);
        ours.begin();
        assert!(ours.come.capacity() <= KEPT_BYTES_MAX, "{} bytes", ours.come.capacity());
    }
}
