//! The daemon's socket: a word goes in, a JSON object comes out. Its owner and root may ask.

use super::place::Place;
use anyhow::{Context, bail};
use rustix::{fs::Mode, process::umask};
use std::{
    fs,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How long either side may keep the other waiting.
const PATIENCE: Duration = Duration::from_secs(90);

/// The longest question.
const QUESTION_BYTES: u64 = 64;

/// The most that an answer may hold: a million files with long names.
const ANSWER_BYTES: u64 = 1 << 30;

/// The socket. Dropping it removes its name.
#[derive(Debug)]
pub(super) struct Socket {
    listener: UnixListener,
    name: PathBuf,
}

impl Socket {
    /// Makes the socket in the place of one that a killed daemon has left. To be called by who
    /// holds the lock of the place, before it has threads: it narrows for a moment what files may
    /// be made with.
    ///
    /// # Errors
    /// The directory cannot be written, or the name is longer than sockets' may be.
    pub(super) fn make(place: &Place) -> anyhow::Result<Self> {
        let name = place.socket();
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).context(format!("removing {}", name.display()));
            }
            _ => {}
        }
        let usual = umask(Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(&name);
        umask(usual);
        let listener =
            listener.with_context(|| format!("{}: give a shorter --pid-file", name.display()))?;
        Ok(Self { listener, name })
    }

    /// Answers on a thread of its own that ends with the process. `answer` gets the question, and
    /// where to write what it says to it.
    ///
    /// # Errors
    /// The system refuses a thread or a second handle.
    pub(super) fn serve(
        &self,
        answer: impl Fn(&str, &mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> io::Result<()> {
        let listener = self.listener.try_clone()?;
        let body = move || {
            for stream in listener.incoming() {
                match stream {
                    // Who goes away in the middle has no answer, and nobody else any harm.
                    Ok(stream) => drop(one(stream, &answer)),
                    // Too many open files: it gets better, or not, but not by asking at once.
                    Err(_) => thread::sleep(Duration::from_millis(100)),
                }
            }
        };
        thread::Builder::new().name("control".into()).spawn(body).map(drop)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A name that is left is removed by the next daemon.
        let _left = fs::remove_file(&self.name);
    }
}

fn one(
    stream: UnixStream,
    answer: &impl Fn(&str, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut question = String::new();
    BufReader::new((&stream).take(QUESTION_BYTES)).read_line(&mut question)?;
    let mut writer = BufWriter::new(&stream);
    answer(question.trim(), &mut writer)?;
    writer.flush()?;
    drop(writer);
    stream.shutdown(Shutdown::Write)
}

/// Asks a daemon; none where nobody listens.
///
/// # Errors
/// Only its owner may ask it; it does not answer.
pub(super) fn ask(socket: &Path, question: &str) -> anyhow::Result<Option<String>> {
    let mut stream = match UnixStream::connect(socket) {
        Ok(stream) => stream,
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => return Ok(None),
            io::ErrorKind::PermissionDenied => bail!(
                "{}: permission denied: ask as root, or as the user that the daemon runs as",
                socket.display()
            ),
            _ => return Err(error).context(socket.display().to_string()),
        },
    };
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut answer = String::new();
    let asked = stream.write_all(format!("{question}\n").as_bytes());
    let heard = asked.and_then(|()| stream.take(ANSWER_BYTES).read_to_string(&mut answer));
    heard.with_context(|| format!("the daemon does not answer at {}", socket.display()))?;
    Ok(Some(answer))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{args::StreamsPlaceArgs, paths::Paths};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn questions_are_answered_to_the_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let args = StreamsPlaceArgs { pid_file: Some(dir.path().join("a.pid")) };
        let place = Place::new(&args, &Paths::new(Some(dir.path().into())).unwrap()).unwrap();
        assert_eq!(ask(&place.socket(), "x").unwrap(), None);
        // A name that was left by a killed daemon is nobody's.
        drop(UnixListener::bind(place.socket()).unwrap());
        assert_eq!(ask(&place.socket(), "x").unwrap(), None);
        let socket = Socket::make(&place).unwrap();
        socket.serve(|question, into| write!(into, "<{question}>")).unwrap();
        assert_eq!(ask(&place.socket(), "one").unwrap().unwrap(), "<one>");
        // One that says nothing, and one that says too much.
        drop(UnixStream::connect(place.socket()).unwrap());
        let _refused = ask(&place.socket(), &"x".repeat(1000));
        assert_eq!(ask(&place.socket(), "two").unwrap().unwrap(), "<two>");
        let mode = fs::metadata(place.socket()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(socket);
        assert!(!place.socket().exists());
    }
}
