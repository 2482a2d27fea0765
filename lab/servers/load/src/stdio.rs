//! Load over pipes: several lines are in flight at once.

use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use memchr::{memchr, memmem};

use crate::case::{Case, Checker, Era, FIRST_ID, id_place, initialize, initialized, write_id};

/// The pipes of a server.
pub(crate) struct Load<'a> {
    input: &'a mut ChildStdin,
    output: &'a mut ChildStdout,
    checker: Checker,
    request: Vec<u8>,
    id_place: usize,
    next: u64,
    read: Vec<u8>,
    filled: usize,
}

impl<'a> Load<'a> {
    /// Performs the handshake if the era has one, and sends one request.
    pub(crate) fn open(
        input: &'a mut ChildStdin,
        output: &'a mut ChildStdout,
        case: Case,
        greet: bool,
    ) -> Result<Self> {
        let mut request = case.request().into_bytes();
        request.push(b'\n');
        let mut load = Self {
            input,
            output,
            checker: Checker::new(case),
            id_place: id_place(&request)?,
            request,
            next: FIRST_ID,
            read: vec![0; 64 << 10],
            filled: 0,
        };
        if greet && case.era == Era::Legacy {
            load.input.write_all((initialize() + "\n").as_bytes())?;
            let answer: serde_json::Value = serde_json::from_slice(&load.line()?)?;
            ensure!(answer["result"].is_object(), "not initialized: {answer}");
            load.input.write_all((initialized() + "\n").as_bytes())?;
        }
        let mut line = Vec::new();
        let id = load.append(&mut line);
        load.input.write_all(&line)?;
        let answer = load.line()?;
        let answer = serde_json::from_slice(&answer)
            .with_context(|| String::from_utf8_lossy(&answer).into_owned())?;
        load.checker.check(&[answer], id)?;
        Ok(load)
    }

    /// Sends requests for some time. Returns the number of requests, and the number of wrong
    /// responses.
    pub(crate) fn run(
        &mut self,
        window: usize,
        time: Duration,
        mut each: impl FnMut(Duration),
    ) -> Result<(u64, u64)> {
        let (mut requests, mut errors) = (0, 0);
        let start = Instant::now();
        let mut waiting = Vec::with_capacity(window);
        let mut lines = Vec::new();
        loop {
            if start.elapsed() < time {
                while waiting.len() < window {
                    waiting.push(self.append(&mut lines));
                }
            }
            if waiting.is_empty() {
                return Ok((requests, errors));
            }
            let sent = Instant::now();
            self.input.write_all(&lines)?;
            lines.clear();
            self.fill()?;
            each(sent.elapsed());
            let mut rest = &self.read[..self.filled];
            while let Some(end) = memchr(b'\n', rest) {
                let line = &rest[..end];
                rest = &rest[end + 1..];
                let known = id(line).and_then(|id| waiting.iter().position(|known| *known == id));
                let right = known.is_some_and(|at| {
                    let id = waiting.remove(at);
                    self.checker.is_correct(line, id)
                });
                requests += 1;
                errors += u64::from(!right);
                ensure!(known.is_some(), "a response without a request");
            }
            let left = rest.len();
            self.read.copy_within(self.filled - left..self.filled, 0);
            self.filled = left;
        }
    }

    fn append(&mut self, lines: &mut Vec<u8>) -> u64 {
        self.next += 1;
        write_id(&mut self.request, self.id_place, self.next);
        lines.extend_from_slice(&self.request);
        self.next
    }

    fn fill(&mut self) -> Result<()> {
        if self.filled == self.read.len() {
            self.read.resize(self.filled * 2, 0);
        }
        let count = self.output.read(&mut self.read[self.filled..])?;
        ensure!(count > 0, "the server ended");
        self.filled += count;
        Ok(())
    }

    /// Reads the next line. The server must not have written anything after it.
    fn line(&mut self) -> Result<Vec<u8>> {
        loop {
            self.fill()?;
            if let Some(end) = memchr(b'\n', &self.read[..self.filled]) {
                ensure!(end + 1 == self.filled, "more than one line");
                self.filled = 0;
                return Ok(self.read[..end].to_vec());
            }
        }
    }
}

/// Returns the id in a response.
fn id(line: &[u8]) -> Option<u64> {
    let at = memmem::find(line, b"\"id\":")? + 5;
    let digits = line.get(at..at + 9)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
