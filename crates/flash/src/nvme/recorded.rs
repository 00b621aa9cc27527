//! What a controller has answered, a file a command: to be read again without the drive.

use super::{AdminCommands, Command, NvmeError, Status};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

impl Command {
    /// The name of the file with the answer: `log-c0.bin`, `identify-controller.bin`.
    #[must_use]
    pub fn file_name(self) -> String {
        match self {
            Self::IdentifyController => "identify-controller.bin".to_owned(),
            Self::IdentifyNamespace(namespace) => format!("identify-namespace-{namespace}.bin"),
            Self::ActiveNamespaces => "active-namespaces.bin".to_owned(),
            Self::Log { id, specific: 0 } => format!("log-{id:02x}.bin"),
            Self::Log { id, specific } => format!("log-{id:02x}-group-{specific}.bin"),
            Self::Directive { namespace, kind, operation } => {
                format!("directive-{kind}-{operation}-namespace-{namespace}.bin")
            }
            Self::Feature { id, of } => format!("feature-{id:02x}-group-{of}.bin"),
        }
    }

    /// True for commands whose answer is dword 0 of the completion: four bytes of a recording.
    fn answers_by_result(self) -> bool {
        matches!(self, Self::Feature { .. })
    }
}

/// Answers out of a directory. A file that is not there is a command that the drive refuses.
#[derive(Clone, Debug)]
pub struct Recorded {
    dir: PathBuf,
    namespace: Option<u32>,
}

impl Recorded {
    /// Answers out of `dir`.
    ///
    /// # Errors
    /// It is not there, or no controller was recorded there.
    pub fn open(dir: &Path) -> Result<Self, NvmeError> {
        let identity = dir.join(Command::IdentifyController.file_name());
        let open = |source| NvmeError::Open { path: identity.display().to_string(), source };
        fs::metadata(&identity).map_err(open)?;
        let all = dir.join(Command::ActiveNamespaces.file_name()).exists();
        let namespace = if all { None } else { only_namespace(dir).map_err(open)? };
        Ok(Self { dir: dir.to_owned(), namespace })
    }
}

/// The namespace that was opened: of a device with one, no list of all is recorded.
fn only_namespace(dir: &Path) -> io::Result<Option<u32>> {
    let mut found = None;
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("identify-namespace-"));
        let number = number.and_then(|rest| rest.strip_suffix(".bin")?.parse().ok());
        found = number.into_iter().chain(found).min();
    }
    Ok(found)
}

impl AdminCommands for Recorded {
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError> {
        let bytes = match fs::read(self.dir.join(command.file_name())) {
            Ok(bytes) => bytes,
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                let status = match command {
                    Command::Log { .. } => Status::NO_LOG_PAGE,
                    _ => Status::INVALID_FIELD,
                };
                return Err(NvmeError::Refused { command, status });
            }
            Err(source) => return Err(NvmeError::Io { command, source }),
        };
        let short = |wanted| NvmeError::Short { command, bytes: bytes.len(), wanted };
        if command.answers_by_result() {
            let result = bytes.first_chunk::<4>().ok_or_else(|| short(4))?;
            return Ok(u32::from_le_bytes(*result));
        }
        let page = bytes.get(..answer.len()).ok_or_else(|| short(answer.len()))?;
        answer.copy_from_slice(page);
        Ok(0)
    }

    fn namespace(&self) -> Option<u32> {
        self.namespace
    }
}

/// A controller whose answers are kept for [`Recorded`].
#[derive(Debug)]
pub struct Recording<A> {
    commands: A,
    dir: PathBuf,
}

impl<A: AdminCommands> Recording<A> {
    /// Keeps what `commands` answers in `dir`, which is made where it does not exist.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(commands: A, dir: &Path) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        Ok(Self { commands, dir: dir.to_owned() })
    }
}

impl<A: AdminCommands> AdminCommands for Recording<A> {
    fn ask(&mut self, command: Command, answer: &mut [u8]) -> Result<u32, NvmeError> {
        let result = self.commands.ask(command, answer)?;
        let of_result = result.to_le_bytes();
        let kept = if command.answers_by_result() { &of_result[..] } else { &*answer };
        let written = fs::write(self.dir.join(command.file_name()), kept);
        written.map_err(|source| NvmeError::Io { command, source })?;
        Ok(result)
    }

    fn namespace(&self) -> Option<u32> {
        self.commands.namespace()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_was_recorded_is_answered_again() {
        let (drive, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (log, feature) =
            (Command::Log { id: 0xc0, specific: 0 }, Command::Feature { id: 0x1d, of: 1 });
        fs::write(drive.path().join("identify-controller.bin"), [7; 4096]).unwrap();
        fs::write(drive.path().join(log.file_name()), [9; 800]).unwrap();
        fs::write(drive.path().join(feature.file_name()), [1, 2, 0, 0]).unwrap();
        let mut recording =
            Recording::new(Recorded::open(drive.path()).unwrap(), copy.path()).unwrap();
        let mut page = [0; 512];
        recording.ask(log, &mut page).unwrap();
        recording.ask(feature, &mut []).unwrap();
        recording.ask(Command::IdentifyController, &mut [0; 4096]).unwrap();

        assert_eq!(Recorded::open(copy.path()).unwrap().namespace(), None);
        fs::write(copy.path().join("identify-namespace-2.bin"), [0; 4096]).unwrap();
        let mut again = Recorded::open(copy.path()).unwrap();
        assert_eq!(again.namespace(), Some(2), "that of the device that was opened");
        let mut same = [0; 512];
        again.ask(log, &mut same).unwrap();
        assert_eq!(same, page);
        assert_eq!(again.ask(feature, &mut []).unwrap(), 0x201);
        let absent = again.ask(Command::Log { id: 0xca, specific: 0 }, &mut page).unwrap_err();
        assert_eq!(absent.to_string(), "log page 0xCA: refused by the drive (no such log page)");
    }

    #[test]
    fn a_page_that_was_cut_off_is_not_padded() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("identify-controller.bin"), [0; 100]).unwrap();
        let error = Recorded::open(dir.path())
            .unwrap()
            .ask(Command::IdentifyController, &mut [0; 4096])
            .unwrap_err();
        assert_eq!(error.to_string(), "Identify controller: 100 bytes, where the page has 4096");
        let nowhere = Recorded::open(&dir.path().join("none")).unwrap_err();
        assert!(nowhere.to_string().contains("identify-controller.bin"), "{nowhere}");
    }
}
