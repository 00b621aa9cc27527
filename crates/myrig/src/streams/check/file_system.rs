//! What a file system does with the hint of a file: by its name and the kernel's version, where it
//! cannot be tried.

use super::{
    kernel::{Era, Kernel},
    layer::{Layer, Reach},
};

/// The advice where a file system is in the way.
const USE: &str = "keep the data on XFS or ext4, on a drive of its own";

/// Whether what FIEMAP says of a file is where it lies on the file system's one device. That of
/// btrfs is in numbers of its own.
pub(super) fn tells_places(kind: &str) -> bool {
    ["xfs", "ext4", "ext3", "ext2", "f2fs"].contains(&kind)
}

/// The layer of a file system of this type.
pub(super) fn layer(kind: &str, kernel: Kernel) -> Layer {
    let this = |hint, words: String| Layer::known("file system", kind, hint, words);
    match kind {
        "xfs" | "ext4" | "ext3" | "ext2" => on_writes(kind, kernel),
        "btrfs" if kernel.era() == Era::Directives => on_writes(kind, kernel),
        "f2fs" => this(
            Reach::Unknown,
            "gives its writes hints of its own, by how hot it holds a file to be".to_owned(),
        )
        .but(USE),
        "tmpfs" | "ramfs" => this(Reach::Stops, "lives in memory".to_owned()).but(USE),
        "overlay" => this(
            Reach::Stops,
            "keeps the hint to itself: the file below does not get it".to_owned(),
        )
        .but("name the directory below it, or a volume instead of a container's own layer"),
        "zfs" => {
            this(Reach::Stops, "writes with threads of its own, without hints".to_owned()).but(USE)
        }
        _ if is_remote(kind) => {
            this(Reach::Stops, "another machine or process writes for it".to_owned())
                .but("check where the files really lie")
        }
        _ => this(Reach::Unknown, "whether it puts hints on its writes is not known".to_owned())
            .but(USE),
    }
}

/// File systems that put a file's hint on their writes, where the kernel has a place for it.
fn on_writes(kind: &str, kernel: Kernel) -> Layer {
    let this = |hint, words: String| Layer::known("file system", kind, hint, words);
    match kernel.era() {
        Era::Before => this(Reach::Stops, format!("{kernel} has no hints"))
            .but("use Linux 4.13 to 5.17, or 6.9 or later"),
        Era::Dropped => this(
            Reach::Stops,
            format!("{kernel} has no place for a hint on a block write (5.18 to 6.8 have none)"),
        )
        .but("use Linux 4.13 to 5.17, or 6.9 or later"),
        Era::Directives | Era::Restored | Era::WriteStreams => {
            this(Reach::Passes, format!("puts it on its writes, as {kernel} should"))
        }
    }
}

fn is_remote(kind: &str) -> bool {
    ["nfs", "cifs", "smb", "fuse", "9p", "virtiofs", "ceph", "gfs", "ocfs", "lustre"]
        .iter()
        .any(|word| kind.starts_with(word))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn file_systems_differ_and_so_do_kernels() {
        for (kind, release, hint) in [
            ("xfs", "4.12", Reach::Stops),
            ("xfs", "5.10", Reach::Passes),
            ("ext4", "6.1", Reach::Stops),
            ("ext4", "6.12", Reach::Passes),
            ("btrfs", "5.10", Reach::Passes),
            ("btrfs", "6.18", Reach::Unknown),
            ("f2fs", "6.18", Reach::Unknown),
            ("tmpfs", "6.18", Reach::Stops),
            ("overlay", "6.18", Reach::Stops),
            ("nfs4", "6.18", Reach::Stops),
            ("fuse.sshfs", "6.18", Reach::Stops),
            ("newfs", "6.18", Reach::Unknown),
        ] {
            let layer = layer(kind, Kernel::parse(release).unwrap());
            assert_eq!(layer.hint, hint, "{kind} {release}: {layer:?}");
            assert!(hint == Reach::Passes || layer.remedy.is_some(), "{kind} {release}");
        }
    }
}
