//! What the targets share: how an input is taken apart, and what it means that two texts say the
//! same.

pub mod same;
pub mod seeds;
pub mod world;

/// The pieces in which bytes arrive. `sizes` says how long each is, over and over; there is no
/// empty piece.
pub fn pieces<'a>(mut bytes: &'a [u8], sizes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = sizes.iter().copied().cycle();
    std::iter::from_fn(move || {
        let size = usize::from(sizes.next().unwrap_or(u8::MAX)).max(1);
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        bytes = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The first `count` bytes, or what there is of them, and the rest.
#[must_use]
pub fn head(bytes: &[u8], count: usize) -> (&[u8], &[u8]) {
    bytes.split_at(count.min(bytes.len()))
}

/// A number from a few bytes.
#[must_use]
pub fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// The revision that a byte chooses.
#[must_use]
pub fn revision(byte: u8) -> mcp_types::Revision {
    let all = mcp_types::Revision::ALL;
    all[usize::from(byte) % all.len()]
}

/// The two bytes that are [`number`].
///
/// # Panics
///
/// Where it needs more.
#[must_use]
pub fn two(number: usize) -> Vec<u8> {
    let number = u16::try_from(number).expect("a small number");
    number.to_be_bytes().to_vec()
}
