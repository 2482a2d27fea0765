//! Passes messages between a client on standard input and output and a server, which it starts, and
//! reports them on standard error.

use std::error::Error;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mcp_types::Sender;
use mcp_types::json::Limits;
use mcp_types::lines::LineReader;
use mcp_types::rpc::{self, Message, Tracker};

type Session = Arc<Mutex<Tracker>>;

/// The largest number of messages in a batch, which only revision 2025-03-26 has.
const BATCH: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let program = words.next().ok_or("usage: proxy PROGRAM ARGUMENTS")?;
    let mut server = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = server.stdin.take().ok_or("no standard input")?;
    let output = server.stdout.take().ok_or("no standard output")?;

    let session = Session::default();
    let same_session = Arc::clone(&session);
    thread::spawn(move || pass(Sender::Client, &same_session, io::stdin(), input));
    pass(Sender::Server, &session, output, io::stdout())?;
    server.wait()?;
    Ok(())
}

/// Passes the messages of one side until its end.
fn pass(
    sender: Sender,
    session: &Session,
    mut from: impl Read,
    mut to: impl Write,
) -> io::Result<()> {
    let limits = Limits::default();
    let mut lines = LineReader::new(limits.bytes);
    loop {
        let count = from.read(lines.spare(8192))?;
        lines.filled(count);
        while let Some(line) = if count > 0 {
            lines.next_line()
        } else {
            lines.finish()
        } {
            let checked = match line {
                Ok(line) => limits.check(line).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match checked {
                Ok(text) => {
                    eprintln!("{sender:?}: {}", describe(sender, session, text));
                    writeln!(to, "{text}")?;
                    to.flush()?;
                }
                Err(error) => eprintln!("{sender:?}: not passed on: {error}"),
            }
        }
        if count == 0 {
            return Ok(());
        }
    }
}

/// Describes a message, or each message of a batch.
fn describe(sender: Sender, session: &Session, text: &str) -> String {
    let messages = match rpc::parse_batch(text.as_bytes(), BATCH) {
        Ok(incoming) => incoming.into_messages(),
        Err(error) => return error.to_string(),
    };
    let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
    let described = messages.iter().map(|message| match message {
        Ok(message) => describe_one(sender, &mut session, message),
        Err(error) => error.to_string(),
    });
    described.collect::<Vec<_>>().join("; ")
}

/// Describes a message by its method, or that of its request, and its revision.
fn describe_one(sender: Sender, session: &mut Tracker, message: &Message<'_>) -> String {
    let tracked = session.track(sender, message, ());
    let request = tracked.request.map(|request| request.method);
    let answered = request.as_deref().unwrap_or("nothing");
    let what = match message {
        Message::Request { method, .. } => format!("request {method:?}"),
        Message::Notification { method, .. } => format!("notification {method:?}"),
        Message::Result { .. } => format!("result of {answered:?}"),
        Message::Error { .. } => format!("error of {answered:?}"),
    };
    match tracked.revision {
        Some(revision) => format!("{what}, revision {revision}"),
        None => what,
    }
}
