//! [`Stderr`]: what happens to the standard error of a process.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::Stdio;
use std::sync::Arc;

use mcp_types::peer_text::PeerLine;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::protocol::error::server_output::LastLines;

/// The maximum size of a line in bytes. Longer lines are split.
const LINE: usize = 4 << 10;

/// What happens to the standard error of a server process. Servers write logs there, which are not
/// necessarily errors.
///
/// The last 4 KiB of captured output are also part of
/// [`TransportError::Exited`](crate::TransportError::Exited), and of
/// [`CallError::Timeout`](crate::CallError::Timeout).
#[derive(Clone, Default)]
pub enum Stderr {
    /// To the standard error of the client, line by line if that is a console of Windows.
    #[default]
    Inherit,
    /// Discarded.
    Null,
    /// To `tracing`, one event at the level `INFO` per line. Control characters are escaped.
    Trace,
    /// To a function, line by line; see [`capture`](Self::capture).
    Capture(Arc<dyn Fn(&str) + Send + Sync>),
}

impl Stderr {
    /// Calls `line` for each line, without its end. Bytes that are not UTF-8 are replaced, and
    /// lines of more than 4 KiB are split. The function must not block.
    pub fn capture(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::Capture(Arc::new(line))
    }

    pub(super) fn stdio(&self) -> Stdio {
        match self {
            // The server has no console of its own, so it cannot write to ours.
            Self::Inherit if cfg!(windows) && io::stderr().is_terminal() => Stdio::piped(),
            Self::Inherit => Stdio::inherit(),
            Self::Null => Stdio::null(),
            Self::Trace | Self::Capture(_) => Stdio::piped(),
        }
    }

    fn handle(&self, line: &str) {
        match self {
            Self::Inherit => {
                let _ = writeln!(io::stderr(), "{line}");
            }
            Self::Null => {}
            Self::Trace => tracing::info!(line = %PeerLine(line), "the server's stderr"),
            Self::Capture(handler) => handler(line),
        }
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inherit => "Inherit",
            Self::Null => "Null",
            Self::Trace => "Trace",
            Self::Capture(_) => "Capture",
        })
    }
}

/// Reads until the end, and remembers the last lines.
pub(super) async fn read(
    pipe: impl AsyncRead,
    stderr: &Stderr,
    last: &LastLines,
) -> std::io::Result<()> {
    let mut pipe = std::pin::pin!(pipe);
    let mut bytes = Vec::with_capacity(2 * LINE);
    let handle = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = String::from_utf8_lossy(line).into_owned();
        stderr.handle(&line);
        last.add(line);
    };
    while pipe.read_buf(&mut bytes).await? > 0 {
        let mut start = 0;
        while let Some((end, next)) = bytes.get(start..).and_then(line_end) {
            handle(bytes.get(start..start + end).unwrap_or_default());
            start += next;
        }
        bytes.drain(..start);
        bytes.reserve(LINE);
    }
    if !bytes.is_empty() {
        handle(&bytes);
    }
    Ok(())
}

/// Returns the end of the first line and the start of the next one.
fn line_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let within = bytes.get(..LINE).unwrap_or(bytes);
    if let Some(end) = within.iter().position(|&byte| byte == b'\n') {
        return Some((end, end + 1));
    }
    // Split before a character, not within it.
    let is_continuation = |byte: &&u8| **byte & 0xC0 == 0x80;
    let cut = bytes.get(..=LINE)?;
    let cut = LINE - cut.iter().rev().take(3).take_while(is_continuation).count();
    Some((cut, cut))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::protocol::error::server_output::REMEMBERED;

    async fn captured(bytes: &[u8]) -> (Vec<String>, String) {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let stderr = Stderr::capture(move |line| sink.lock().expect("fine").push(line.to_owned()));
        let last = LastLines::default();
        read(bytes, &stderr, &last).await.expect("bytes");
        let lines = lines.lock().expect("fine").clone();
        (lines, last.text())
    }

    #[tokio::test]
    async fn each_line_is_handled_even_without_a_final_line_feed() {
        let (lines, last) = captured(b"one\r\n\ntwo\xFF\nthree").await;
        assert_eq!(lines, ["one", "", "two\u{FFFD}", "three"]);
        assert_eq!(last, "one\n\ntwo\u{FFFD}\nthree");
    }

    #[tokio::test]
    async fn long_lines_are_split_between_characters() {
        for before in 0..4 {
            let long = "x".repeat(before) + &"\u{1F980}".repeat(3 * LINE / 4);
            let (lines, last) = captured(long.as_bytes()).await;
            assert_eq!(lines.concat(), long);
            assert!(lines.iter().all(|line| line.len() <= LINE));
            assert!(
                !last.is_empty() && last.len() <= REMEMBERED,
                "{}",
                last.len()
            );
        }
    }

    #[tokio::test]
    async fn remembered_lines_are_bounded() {
        let many: String = (0..10_000).map(|line| format!("{line}\n")).collect();
        let (lines, last) = captured(many.as_bytes()).await;
        assert_eq!(lines.len(), 10_000);
        assert!(last.ends_with("9998\n9999") && last.len() <= REMEMBERED);
    }
}
