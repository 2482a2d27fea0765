//! Reads the lines of standard input.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

/// Returns the lines of standard input, each of at most `limit` bytes. A longer one is an error,
/// which is the last.
pub(super) fn lines(limit: usize) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(16);
    // The runtime would wait for a read of its own when this program ends.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let max = limit as u64 + 1;
            let read = input.by_ref().take(max).read_until(b'\n', &mut line);
            let line = match read {
                Ok(0) => return,
                Ok(count) if count as u64 == max && line.last() != Some(&b'\n') => {
                    let text = format!("a message has more than {limit} bytes (`--max-message`)");
                    Err(io::Error::other(text))
                }
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            let is_last = line.is_err();
            if sender.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}
