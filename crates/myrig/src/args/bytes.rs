//! Sizes on a command line: `8G`, `512M`, `1048576`.

/// Reads a size in bytes; K, M, G and T are powers of 1,024, as in a server's option file.
///
/// # Errors
/// A sentence that shows what a size looks like.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let refuse = || format!("`{text}` is no size; write 512M, 8G, 1.5G or a number of bytes");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_end_matches(['b', 'B']).trim_end_matches(['i', 'I']);
    let factor: u64 = match unit.to_ascii_uppercase().as_str() {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(refuse()),
    };
    let bytes = number.parse::<f64>().map_err(|_| refuse())? * factor as f64;
    // Beyond 2^53 not every number of bytes can be told from the next; nobody has such a machine.
    if bytes < 9e15 { Ok(bytes as u64) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("1048576", 1 << 20),
            ("512M", 512 << 20),
            ("8G", 8 << 30),
            ("8GiB", 8 << 30),
            ("1.5g", 3 << 29),
            ("2T", 2 << 40),
            ("16KB", 16 << 10),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1", "1X", "1 G", "..", "99999999T", "1GG"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
