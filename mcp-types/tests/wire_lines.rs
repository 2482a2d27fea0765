//! Lines of newline-delimited JSON, split into chunks at any position.

use mcp_types::lines::LineReader;
use proptest::prelude::*;

const TOO_LONG: &str = "line exceeds 8 bytes";

fn shown(line: Result<&[u8], impl ToString>) -> String {
    match line {
        Ok(line) => String::from_utf8_lossy(line).into_owned(),
        Err(error) => error.to_string(),
    }
}

/// Reads chunks with a limit of 8 bytes.
fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let lines = numbered(chunks).into_iter();
    lines.map(|(_, line)| line).collect()
}

/// Reads chunks with a limit of 8 bytes, and returns each line with its number.
fn numbered<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<(u64, String)> {
    let mut reader = LineReader::new(8);
    let mut seen = Vec::new();
    for (at, chunk) in chunks.into_iter().enumerate() {
        if at % 2 == 0 {
            reader.feed(chunk);
        } else {
            reader.spare(chunk.len())[..chunk.len()].copy_from_slice(chunk);
            reader.filled(chunk.len());
        }
        while let Some(line) = reader.next_line() {
            let line = shown(line);
            seen.push((reader.line_number(), line));
        }
    }
    while let Some(line) = reader.finish() {
        let line = shown(line);
        seen.push((reader.line_number(), line));
    }
    seen
}

/// Reads the same lines by splitting the whole input.
fn naive(input: &[u8]) -> Vec<(u64, String)> {
    let mut seen = Vec::new();
    for (number, line) in (1..).zip(input.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > 8 {
            seen.push((number, TOO_LONG.to_owned()));
        } else if !line.trim_ascii().is_empty() {
            seen.push((number, shown(Ok::<_, String>(line))));
        }
    }
    seen
}

#[test]
fn lines_end_with_lf_or_crlf() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("\n\r\n \t\n", &[]),
        ("a", &["a"]),
        ("a\n", &["a"]),
        ("a\r\nb\nc", &["a", "b", "c"]),
        ("a\r", &["a"]),
        ("a\r\r\n", &["a\r"]),
        (" a \n", &[" a "]),
        ("12345678\n", &["12345678"]),
        ("12345678\r\n", &["12345678"]),
        ("12345678\r", &["12345678"]),
        ("12345678", &["12345678"]),
        ("123456789\na\n", &[TOO_LONG, "a"]),
        ("123456789", &[TOO_LONG]),
        ("12345678\ra\nb", &[TOO_LONG, "b"]),
        ("123456789\n123456789\n", &[TOO_LONG, TOO_LONG]),
    ];
    for (input, lines) in cases {
        assert_eq!(read([input.as_bytes()]), *lines, "{input:?} at once");
        let bytes = input.as_bytes().chunks(1);
        assert_eq!(read(bytes), *lines, "{input:?} by bytes");
    }
}

#[test]
fn line_number_counts_skipped_and_too_long_lines() {
    let cases: &[(&str, &[u64])] = &[
        ("", &[]),
        ("\n\r\n \n", &[]),
        ("a\nb\r\nc", &[1, 2, 3]),
        ("\na\n\r\n \t\nb", &[2, 5]),
        ("\n123456789\na\n", &[2, 3]),
        ("123456789\n123456789\n\na", &[1, 2, 4]),
        ("\n\n123456789", &[3]),
    ];
    for (input, numbers) in cases {
        for size in [1, 2, 5, 64] {
            let lines = numbered(input.as_bytes().chunks(size));
            let found: Vec<u64> = lines.iter().map(|(number, _)| *number).collect();
            assert_eq!(found, *numbers, "{input:?} in chunks of {size}");
        }
    }
}

#[test]
fn line_number_is_that_of_the_line_returned_last() {
    let mut reader = LineReader::new(8);
    assert_eq!(reader.line_number(), 0);
    assert_eq!(reader.next_line(), None);
    assert_eq!(reader.line_number(), 0);
    reader.feed(b"\na\n\n\nb");
    assert!(reader.next_line().is_some());
    assert_eq!(reader.line_number(), 2);
    // The empty lines were read, but none of them was returned.
    assert_eq!(reader.next_line(), None);
    assert_eq!(reader.line_number(), 2);
    assert!(reader.finish().is_some());
    assert_eq!(reader.line_number(), 5);
    assert_eq!(reader.finish(), None);
    // The end of the input ends its last line, also the rest of one that is too long.
    reader.feed(b"123456789");
    assert!(reader.next_line().unwrap().is_err());
    assert_eq!(reader.finish(), None);
    reader.feed(b"c\n");
    assert!(reader.next_line().is_some());
    assert_eq!(reader.line_number(), 7);
}

#[test]
fn too_long_line_is_discarded_and_reported_once() {
    let mut reader = LineReader::new(100);
    let mut errors = 0;
    for _ in 0..1000 {
        reader.feed(&[b'x'; 1024]);
        while let Some(line) = reader.next_line() {
            assert_eq!(line.unwrap_err().limit, 100);
            errors += 1;
        }
    }
    assert_eq!(errors, 1);
    assert!(reader.spare(1).len() <= 2048, "{}", reader.spare(1).len());
    reader.feed(b"x\n{}\n");
    assert_eq!(reader.next_line(), Some(Ok(&b"{}"[..])));
    assert_eq!(reader.next_line(), None);
    assert_eq!(reader.finish(), None);
}

#[test]
fn buffer_does_not_grow_with_the_number_of_lines() {
    let mut reader = LineReader::new(100);
    // The chunks leave a part of a line each time.
    let input = "0123456789abcde\n".repeat(1000);
    let mut lines = 0;
    for chunk in input.as_bytes().chunks(37) {
        reader.feed(chunk);
        while let Some(line) = reader.next_line() {
            assert_eq!(line, Ok(&b"0123456789abcde"[..]));
            lines += 1;
        }
    }
    assert_eq!(lines, 1000);
    assert!(reader.spare(1).len() <= 200, "{}", reader.spare(1).len());
}

#[test]
fn spare_space_is_never_empty_and_bounds_what_is_filled() {
    let mut reader = LineReader::new(8);
    assert!(!reader.spare(0).is_empty());
    let room = reader.spare(4).len();
    reader.filled(usize::MAX);
    assert!(!reader.spare(0).is_empty());
    assert!(room >= 4);
}

#[test]
fn shrinking_frees_memory_without_losing_lines() {
    let mut reader = LineReader::new(1 << 20);
    reader.feed(&vec![b'x'; 1 << 16]);
    reader.feed(b"\npart");
    assert_eq!(reader.next_line().unwrap().unwrap().len(), 1 << 16);
    reader.shrink_to(2);
    assert_eq!(reader.next_line(), None);
    assert!(reader.spare(1).len() <= 8, "{}", reader.spare(1).len());
    reader.feed(b"ner\n");
    assert_eq!(reader.next_line(), Some(Ok(&b"partner"[..])));
}

proptest! {
    #[test]
    fn chunks_do_not_change_the_lines(
        input in "[a \r\n]{0,80}|(([a-c]{0,12})(\r?\n)){0,8}[a-c]{0,12}",
        cuts in prop::collection::vec(0_usize..80, 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(input.len())).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &input.as_bytes()[pair[0]..pair[1]]);
        prop_assert_eq!(numbered(chunks), naive(input.as_bytes()));
    }
}
