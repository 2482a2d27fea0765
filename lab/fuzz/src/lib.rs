//! Helpers of the fuzz targets: divide an input, and compare JSON texts.

pub mod same;
pub mod seeds;
pub mod world;

/// Divides bytes into pieces. `sizes` has their lengths, which repeat; no piece is empty.
pub fn pieces<'a>(mut bytes: &'a [u8], sizes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = sizes.iter().copied().cycle();
    std::iter::from_fn(move || {
        let size = usize::from(sizes.next().unwrap_or(u8::MAX)).max(1);
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        bytes = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Splits off the first `count` bytes, or all if there are fewer.
#[must_use]
pub fn head(bytes: &[u8], count: usize) -> (&[u8], &[u8]) {
    bytes.split_at(count.min(bytes.len()))
}

/// Reads a number from a few bytes.
#[must_use]
pub fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Returns the revision that a byte selects.
#[must_use]
pub fn revision(byte: u8) -> mcp_types::Revision {
    let all = mcp_types::Revision::ALL;
    all[usize::from(byte) % all.len()]
}

/// Returns the two bytes from which [`number`] reads this number.
///
/// # Panics
///
/// Panics if the number needs more than two bytes.
#[must_use]
pub fn to_bytes(number: usize) -> Vec<u8> {
    let number = u16::try_from(number).expect("a small number");
    number.to_be_bytes().to_vec()
}
