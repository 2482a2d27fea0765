//! [`Link`]: a connection to a server that carries the messages of a recording unchanged.

mod http;

use std::ffi::OsString;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use crate::args::Options;
use crate::failure::Failure;
use crate::recording::RecordingError;
use crate::recording::program::{self, ServerProcess, command};

/// The number of messages that wait.
const WAITING: usize = 64;

/// A message to the server, and the headers with which it was recorded.
pub(crate) struct Sent {
    pub(crate) text: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// A connection to a server.
pub(crate) struct Link {
    pub(crate) to: mpsc::Sender<Sent>,
    /// The messages of the server. It ends when the connection is lost.
    pub(crate) from: mpsc::Receiver<String>,
    /// Killed when this is dropped.
    _child: Option<ServerProcess>,
}

impl Link {
    /// Starts a program.
    pub(crate) fn program(program: &[OsString], options: &Options) -> Result<Self, Failure> {
        let cannot_start = |source| RecordingError::Start {
            program: program
                .first()
                .map_or_else(String::new, |name| name.to_string_lossy().into()),
            source,
        };
        let command = command(program, options).map_err(cannot_start)?;
        let mut command = command.ok_or_else(|| {
            let message = "no server is named: expected a URL, or `-- PROGRAM...`";
            Failure::Usage(message.to_owned())
        })?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if !options.common.verbose {
            command.stderr(Stdio::null());
        }
        let mut child = program::spawn(command).map_err(cannot_start)?;
        let (to, sent) = mpsc::channel(WAITING);
        let (received, from) = mpsc::channel(WAITING);
        if let (Some(stdin), Some(stdout), _) = program::pipes(&mut child) {
            tokio::spawn(write(stdin, sent));
            tokio::spawn(read(stdout, received, options.max_message));
        }
        Ok(Self {
            to,
            from,
            _child: Some(child),
        })
    }

    /// Connects to a URL.
    pub(crate) fn url(url: &str, options: &Options) -> Result<Self, Failure> {
        let (to, sent) = mpsc::channel(WAITING);
        let (received, from) = mpsc::channel(WAITING);
        http::start(url, options, sent, received)?;
        Ok(Self {
            to,
            from,
            _child: None,
        })
    }
}

async fn write(mut stdin: ChildStdin, mut sent: mpsc::Receiver<Sent>) {
    while let Some(message) = sent.recv().await {
        let line = message.text + "\n";
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read(stdout: ChildStdout, received: mpsc::Sender<String>, limit: usize) {
    let mut lines = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let mut part = (&mut lines).take(limit as u64 + 1);
        let read = part.read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) || line.len() > limit {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() && received.send(text.trim().to_owned()).await.is_err() {
            return;
        }
    }
}
