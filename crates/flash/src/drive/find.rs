//! Which NVMe drives there are, by the kernel's files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Devices to ask: the namespaces of each controller, or the controller itself where it has none.
/// `root` is `/`, or a tree that a test has made.
///
/// # Errors
/// `sys/class/nvme` is there and cannot be read; without it there are no drives.
pub fn drives(root: &Path) -> io::Result<Vec<PathBuf>> {
    let controllers = names(&root.join("sys/class/nvme"))?;
    let blocks = names(&root.join("sys/block"))?;
    let mut found = Vec::new();
    for controller in controllers.iter().filter(|name| name.starts_with("nvme")) {
        let mut spaces: Vec<&String> =
            blocks.iter().filter(|block| is_of(block, controller)).collect();
        if spaces.is_empty() {
            spaces.push(controller);
        }
        found.extend(spaces.into_iter().map(|name| Path::new("/dev").join(name)));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// True for `nvme0n1` of `nvme0`, and not for `nvme0c0n1`, the hidden path below it.
fn is_of(block: &str, controller: &str) -> bool {
    let number = block.strip_prefix(controller).and_then(|rest| rest.strip_prefix('n'));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// How many write streams the kernel offers on a device to who writes by io_uring
/// (`queue/max_write_streams`, from Linux 6.16); none where it does not say.
#[must_use]
pub fn kernel_write_streams(root: &Path, device: &Path) -> Option<u32> {
    let name = device.file_name()?;
    let file = root.join("sys/class/block").join(name).join("queue/max_write_streams");
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn names(dir: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    names.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn drives_are_their_namespaces_and_controllers_without_any() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(drives(root.path()).unwrap(), Vec::<PathBuf>::new());
        for dir in ["class/nvme/nvme0", "class/nvme/nvme1", "class/nvme/nvme10"] {
            fs::create_dir_all(root.path().join("sys").join(dir)).unwrap();
        }
        for block in ["nvme0n1", "nvme0n2", "nvme0c0n1", "nvme10n1", "vda", "loop0"] {
            fs::create_dir_all(root.path().join("sys/block").join(block)).unwrap();
        }
        let found = drives(root.path()).unwrap();
        let wanted = ["/dev/nvme0n1", "/dev/nvme0n2", "/dev/nvme1", "/dev/nvme10n1"];
        assert_eq!(found, wanted.map(PathBuf::from));
    }

    #[test]
    fn the_kernel_says_how_many_streams_it_offers() {
        let root = tempfile::tempdir().unwrap();
        let queue = root.path().join("sys/class/block/nvme0n1/queue");
        fs::create_dir_all(&queue).unwrap();
        let asked = || kernel_write_streams(root.path(), Path::new("/dev/nvme0n1"));
        assert_eq!(asked(), None);
        fs::write(queue.join("max_write_streams"), "4\n").unwrap();
        assert_eq!(asked(), Some(4));
    }
}
