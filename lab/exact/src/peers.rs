//! SDKs in other languages, whose decoders are asked over standard input and output.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use xtask_support::{node::Node, python};

use crate::candidates::Candidate;

/// A program that prints the names of its types as a JSON list, and then answers each line
/// `[NAME, TEXT]` with `null` if it refuses the text, or with `[VALUE]` as it encodes what it decoded.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        Ok(Self {
            input: child.stdin.take().context("a pipe")?,
            output: BufReader::new(child.stdout.take().context("a pipe")?),
            child,
        })
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the program printed {line:?}"))
    }

    fn round_trip(&mut self, of: &str, text: &str) -> Result<Option<Value>> {
        writeln!(self.input, "{}", json!([of, text]))?;
        self.input.flush()?;
        let mut answer = self.line()?;
        Ok(answer.get_mut(0).map(Value::take))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Installs the SDKs, and starts their programs.
pub(crate) fn start() -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    let Some(node) = Node::find()? else {
        return Ok(candidates);
    };
    let folder = node.install("lab/exact/decoders")?;
    for (name, option) in [
        ("TypeScript 2.4.0", None),
        ("TypeScript 2.4.0, wire", Some("wire")),
    ] {
        let mut command = Command::new(&node.program);
        command.arg(folder.join("decode.mjs")).args(option);
        candidates.push(candidate(name, &mut command)?);
    }
    if let Some(python) = python::install(&folder)? {
        for (name, modules) in [
            ("Python 2.3.0", &["mcp_types"][..]),
            ("Python 2.3.0, wire", &["mcp_types._v2026_07_28"]),
            (
                "Python 2.3.0, as a session",
                &["mcp_types._v2026_07_28", "mcp_types"],
            ),
        ] {
            let mut command = Command::new(&python);
            command.arg(folder.join("decode.py")).args(modules);
            candidates.push(candidate(name, &mut command)?);
        }
    }
    Ok(candidates)
}

fn candidate(name: &str, command: &mut Command) -> Result<Candidate> {
    let mut peer = Peer::start(command)?;
    let types = serde_json::from_value(peer.line()?)?;
    let peer = RefCell::new(peer);
    let round_trip = move |of: &str, text: &str| peer.borrow_mut().round_trip(of, text);
    Ok(Candidate::new(name, types, Rc::new(round_trip)))
}
