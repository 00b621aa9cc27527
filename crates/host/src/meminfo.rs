//! A field of `/proc/meminfo`, or of a NUMA node's file of that name.

/// The field in bytes; none where it is not told. A node's lines begin with its number.
pub(crate) fn field_bytes(meminfo: &str, name: &str) -> Option<u64> {
    let kib: u64 = meminfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.split_whitespace().next_back() == Some(name))
            .then(|| value.split_whitespace().next()?.parse().ok())?
    })?;
    Some(kib.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_whole_and_nodes_are_passed_over() {
        let text = "Node 1 MemTotal:  8 kB\nSwapCached:  1 kB\nCached:  4 kB\nodd\nDirty: x kB\n";
        assert_eq!(field_bytes(text, "MemTotal"), Some(8192));
        assert_eq!(field_bytes(text, "Cached"), Some(4096));
        assert_eq!((field_bytes(text, "Dirty"), field_bytes(text, "None")), (None, None));
    }
}
