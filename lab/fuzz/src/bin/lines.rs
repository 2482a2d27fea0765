//! Lines that arrive in pieces: the reader finds the same lines as a simple implementation, and
//! none beyond the limit. The first byte is the limit, the next four are the lengths of the pieces.
#![no_main]

use fuzz::{head, number, pieces};
use libfuzzer_sys::fuzz_target;
use mcp_types::lines::LineReader;

/// A line, or `None` for one that exceeds the limit.
type Line = Option<Vec<u8>>;

fuzz_target!(|bytes: &[u8]| {
    let (limit, bytes) = head(bytes, 1);
    let (sizes, bytes) = head(bytes, 4);
    let limit = number(limit);
    let expected = plain(bytes, limit);
    assert_eq!(read(pieces(bytes, sizes), limit, false), expected);
    assert_eq!(read(pieces(bytes, sizes), limit, true), expected);
    assert_eq!(read([bytes].into_iter(), limit, false), expected);
});

fn plain(bytes: &[u8], limit: usize) -> Vec<Line> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let filled =
        lines.filter(|line| line.len() > limit || !line.iter().all(u8::is_ascii_whitespace));
    filled
        .map(|line| (line.len() <= limit).then(|| line.to_vec()))
        .collect()
}

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, limit: usize, shrink: bool) -> Vec<Line> {
    let mut reader = LineReader::new(limit);
    let mut lines = Vec::new();
    for piece in pieces {
        reader.feed(piece);
        while let Some(line) = reader.next_line() {
            lines.push(line.ok().map(<[u8]>::to_vec));
        }
        if shrink {
            reader.shrink_to(1);
        }
    }
    while let Some(line) = reader.finish() {
        lines.push(line.ok().map(<[u8]>::to_vec));
    }
    lines
}
