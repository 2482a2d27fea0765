//! A loop over lines.

use std::io::{self, Read as _, Write as _};

use memchr::memmem;

use crate::answer::Fixed;
use crate::request::Request;

pub(crate) fn serve(fixed: Fixed) -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut input = Vec::new();
    let mut output = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let count = stdin.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        input.extend_from_slice(&chunk[..count]);
        let whole = input.iter().rposition(|byte| *byte == b'\n');
        let rest = input.split_off(whole.map_or(0, |at| at + 1));
        for line in input.split(|byte| *byte == b'\n') {
            // Notifications have no response.
            if line.is_empty() || memmem::find(line, b"\"id\"").is_none() {
                continue;
            }
            Request::read(fixed, line)?.write_result(&mut output)?;
            output.push(b'\n');
        }
        input = rest;
        stdout.write_all(&output)?;
        stdout.flush()?;
        output.clear();
    }
}
