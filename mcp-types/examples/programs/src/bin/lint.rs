//! Checks the messages of a session. Each line of standard input is one message: `> ` precedes those
//! of the client, and `< ` those of the server.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::io;
use std::process::ExitCode;

use mcp_types::error::Rule;
use mcp_types::id::RequestId;
use mcp_types::rpc::{self, Incoming, Tracker};
use mcp_types::{Revision, Sender, registry};

/// The largest number of messages in a batch, which only revision 2025-03-26 has.
const BATCH: usize = 1000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut allowed = BTreeSet::new();
    for name in std::env::args().skip(1) {
        let rule = Rule::find(&name).ok_or_else(|| format!("there is no rule {name:?}"))?;
        allowed.insert(rule);
    }
    let mut session = Tracker::default();
    let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
    for (index, line) in io::stdin().lines().enumerate() {
        let line = line?;
        let (sender, text) = match line.split_at_checked(2) {
            Some(("> ", text)) => (Sender::Client, text),
            Some(("< ", text)) => (Sender::Server, text),
            _ => return Err(format!("line {}: expected `> ` or `< `", index + 1).into()),
        };
        let mut revision = session.revision();
        let mut answered = HashMap::new();
        let incoming = rpc::parse_batch(text.as_bytes(), BATCH).map(Incoming::into_messages);
        for message in incoming.into_iter().flatten().flatten() {
            let tracked = session.track(sender, &message, ());
            revision = tracked.revision;
            if let (Some(id), Some(request)) = (message.id(), tracked.request) {
                answered.insert(id.clone(), request.method);
            }
        }
        let revision = revision.unwrap_or(Revision::LATEST);
        let method = |id: &RequestId| answered.get(id).map(String::as_str);
        for fault in registry::validate_message(revision, sender, text, method) {
            if !allowed.contains(&fault.rule()) {
                let (path, rule, message) = (fault.path(), fault.rule(), fault.message());
                println!("{}: {path}: {rule}: {message:?}", index + 1);
                *counts.entry(rule).or_default() += 1;
            }
        }
    }
    for (rule, count) in &counts {
        println!("{rule}: {count}");
    }
    Ok(if counts.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
