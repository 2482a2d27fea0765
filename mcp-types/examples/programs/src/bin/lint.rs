//! Checks the messages of a session. Each line of standard input is one message: `> ` precedes those
//! of the client, and `< ` those of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io;
use std::process::ExitCode;

use mcp_types::error::Rule;
use mcp_types::rpc::{self, Tracker};
use mcp_types::{Revision, Sender, registry};

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
        let message = rpc::parse_str(text).ok();
        let tracked = message.map(|message| session.track(sender, &message, ()));
        let revision = tracked.as_ref().and_then(|tracked| tracked.revision);
        let request = tracked.and_then(|tracked| tracked.request);
        let method = request.as_ref().map(|request| request.method.as_str());
        let revision = revision.unwrap_or(Revision::LATEST);
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
