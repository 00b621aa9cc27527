//! LZO1X, unpacked. There is no crate for it that is in Rust and well kept.
//!
//! Written from its description in Linux's `Documentation/staging/lzo.rst`: a stream of
//! instructions, each a copy of what came out before and then up to three literals; an instruction
//! that begins with four zero bits means one of three things, by how many literals came before.

/// Unpacks all of `packed` into all of `out`; none if they are not of each other.
pub(super) fn unpack(packed: &[u8], out: &mut [u8]) -> Option<()> {
    let mut stream = Stream { packed, out, filled: 0 };
    stream.run()?;
    (stream.packed.is_empty() && stream.filled == stream.out.len()).then_some(())
}

struct Stream<'a, 'b> {
    /// What is still to be read.
    packed: &'a [u8],
    out: &'b mut [u8],
    /// How much of it there is, in bytes.
    filled: usize,
}

/// More literals than an instruction has behind its copy.
const MANY: usize = 4;
/// The distance that ends the stream.
const END: usize = 16384;

impl Stream<'_, '_> {
    /// Carries out all instructions up to the end mark.
    fn run(&mut self) -> Option<()> {
        let mut literals = self.first()?;
        loop {
            let code = usize::from(self.byte()?);
            let (distance, length, after) = match code {
                0..16 if literals == 0 => {
                    let length = 3 + self.length(code, 15)?;
                    self.literals(length)?;
                    literals = MANY;
                    continue;
                }
                0..16 => {
                    let nearest = if literals == MANY { 2049 } else { 1 };
                    let distance = (usize::from(self.byte()?) << 2) + (code >> 2) + nearest;
                    (distance, if literals == MANY { 3 } else { 2 }, code & 3)
                }
                16..32 => {
                    let length = 2 + self.length(code & 7, 7)?;
                    let (distance, after) = self.distance()?;
                    (END + ((code & 8) << 11) + distance, length, after)
                }
                32..64 => {
                    let length = 2 + self.length(code & 31, 31)?;
                    let (distance, after) = self.distance()?;
                    (distance + 1, length, after)
                }
                _ => {
                    let distance = (usize::from(self.byte()?) << 3) + (code >> 2 & 7) + 1;
                    let length = if code < 128 { 3 + (code >> 5 & 1) } else { 5 + (code >> 5 & 3) };
                    (distance, length, code & 3)
                }
            };
            if distance == END {
                // The one way to write it: no other bit is used.
                return (code == 17 && length == 3 && after == 0).then_some(());
            }
            self.copy(distance, length)?;
            self.literals(after)?;
            literals = after;
        }
    }

    /// The first byte, which may stand for literals alone; gives how many those were.
    fn first(&mut self) -> Option<usize> {
        match self.packed.first()? {
            0..=17 => Some(0),
            &code => {
                let literals = usize::from(code) - 17;
                self.byte()?;
                self.literals(literals)?;
                Some(literals.min(MANY))
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.packed.split_first()?;
        self.packed = rest;
        Some(byte)
    }

    /// A length that is in the instruction, or behind it: 255 for each zero byte, and one other.
    fn length(&mut self, told: usize, most: usize) -> Option<usize> {
        if told != 0 {
            return Some(told);
        }
        let mut length = most;
        loop {
            match self.byte()? {
                0 => length += 255,
                byte => return Some(length + usize::from(byte)),
            }
        }
    }

    /// A distance of 14 bits, and the number of literals after the copy.
    fn distance(&mut self) -> Option<(usize, usize)> {
        let word = u16::from_le_bytes([self.byte()?, self.byte()?]);
        Some((usize::from(word >> 2), usize::from(word & 3)))
    }

    fn literals(&mut self, length: usize) -> Option<()> {
        let (literals, rest) = self.packed.split_at_checked(length)?;
        let end = self.filled + length;
        self.out.get_mut(self.filled..end)?.copy_from_slice(literals);
        (self.packed, self.filled) = (rest, end);
        Some(())
    }

    /// Copies from what came out before; where the copy overlaps itself, it repeats.
    fn copy(&mut self, distance: usize, length: usize) -> Option<()> {
        let from = self.filled.checked_sub(distance)?;
        let end = self.filled + length;
        if end > self.out.len() {
            return None;
        }
        for ahead in 0..length {
            self.out[self.filled + ahead] = self.out[from + ahead];
        }
        self.filled = end;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_come_out() {
        // Five literals, a copy of five from three before, the end mark.
        let packed = [17 + 5, b'a', b'b', b'c', b'd', b'e', 0b1000_1000, 0, 17, 0, 0];
        let mut out = [0; 10];
        assert_eq!(unpack(&packed, &mut out), Some(()));
        assert_eq!(&out, b"abcdecdecd");
    }

    #[test]
    fn what_does_not_fit_its_output_or_goes_on_is_refused() {
        let packed = [17 + 5, b'a', b'b', b'c', b'd', b'e', 0b1000_1000, 0, 17, 0, 0];
        for bytes in [0, 4, 5, 9, 11] {
            assert_eq!(unpack(&packed, &mut vec![0; bytes]), None);
        }
        assert_eq!(unpack(&[packed.as_slice(), &[0]].concat(), &mut [0; 10]), None);
        for end in 0..packed.len() {
            assert_eq!(unpack(&packed[..end], &mut [0; 10]), None);
        }
        // A copy from before the beginning.
        assert_eq!(unpack(&[18, b'a', 0b1000_1000, 9, 17, 0, 0], &mut [0; 6]), None);
    }
}
