//! `mcp check`: what the author of a server should know before a release.

mod lists;
mod proposals;
mod schemas;
mod tools;

use mcp_client::Client;
use mcp_client::types::json::Object;
use mcp_client::types::v2025_11_25::PingRequest;
use mcp_client::types::{ReadResourceRequest, ReadResourceRequestParams, Resource, rpc};

use super::resources::violation;
use crate::args::{Check, Command};
use crate::failure::{Failure, refers_to_url};
use crate::output::exact::to_json;
use crate::output::paint::Paint;
use crate::output::{Output, print_message};
use crate::wire::Wire;
use crate::wire::finding::{Findings, Level};

use schemas::is_blank;

/// A method that no server has.
const UNKNOWN: &str = "mcp-check/unknown";

/// Checks a server, and prints what was found. `write` is a tool that changes a resource, with its
/// arguments.
pub(crate) async fn check(
    client: &Client,
    args: &Check,
    write: Option<&(&str, Object)>,
    output: Output,
) -> Result<(), Failure> {
    let wire = &args.wire;
    about(client, wire);
    lists::tools(client, wire).await;
    lists::prompts(client, wire).await;
    let resources = lists::resources(client, wire).await;
    if args.read {
        for resource in resources {
            read(client, wire, &resource).await;
        }
    }
    // Before the proposals, which list everything again.
    {
        let mut seen = wire.seen();
        let seen = &mut *seen;
        tools::tools(&mut seen.findings, client.revision(), &seen.tools);
    }
    if args.proposals {
        proposals::check(client, args, write).await;
    }
    unknown_method(client, wire).await;
    if !client.revision().is_modern()
        && let Err(error) = client.request::<PingRequest>(None).await
    {
        wire.seen().findings.error("ping", error.to_string());
    }
    let mut seen = wire.seen();
    let seen = &mut *seen;
    for (method, time) in &seen.times {
        if *time > args.slow {
            let text = format!(
                "the answer took {:.1} s: some hosts give up after a few seconds",
                time.as_secs_f64()
            );
            seen.findings.warning(method, text);
        }
    }
    report(&seen.findings, Some(client), output)?;
    let errors = seen.findings.count(Level::Error);
    let warnings = seen.findings.count(Level::Warning);
    if errors > 0 || (args.deny_warnings && warnings > 0) {
        return Err(Failure::Faulty);
    }
    Ok(())
}

/// Prints what was found before the connection failed.
pub(crate) fn unconnected(command: &Command, output: Output) -> Result<(), Failure> {
    let Command::Check(args) = command else {
        return Ok(());
    };
    let seen = args.wire.seen();
    if seen.findings.sorted().is_empty() {
        return Ok(());
    }
    report(&seen.findings, None, output)
}

/// Checks what the server says about itself.
fn about(client: &Client, wire: &Wire) {
    let mut seen = wire.seen();
    let findings = &mut seen.findings;
    match client.server_info() {
        None => findings.warning("server", "the server does not say its name and version"),
        Some(info) => {
            let info = to_json(&info);
            for member in ["name", "version"] {
                if is_blank(info.get(member)) {
                    findings.warning("server", format!("the member `{member}` is empty"));
                }
            }
            if is_blank(info.get("title")) {
                findings.hint("server", "no `title`: hosts show the name");
            }
        }
    }
    if client.instructions().is_none() {
        let text = "no `instructions`: they tell models how the tools work together";
        findings.hint("server", text);
    }
}

async fn read(client: &Client, wire: &Wire, resource: &Resource) {
    let place = format!("resource `{}`", resource.uri);
    let params = ReadResourceRequestParams::new(&resource.uri, client.meta());
    match client.request::<ReadResourceRequest>(params).await {
        Err(error) if refers_to_url(&error) && resource.http_url.is_some() => {
            let text = "it cannot be read, only fetched by its `httpUrl`";
            wire.seen().findings.hint(place, text);
        }
        Err(error) => {
            let text = format!("it is listed, but cannot be read: {error}");
            wire.seen().findings.error(place, text);
        }
        Ok(result) => {
            for warning in result.contents_as(resource).warnings() {
                wire.seen().findings.warning(&place, violation(&warning));
            }
        }
    }
}

async fn unknown_method(client: &Client, wire: &Wire) {
    let text = match client.request_json(UNKNOWN, &Object::new()).await {
        Err(error) if error.code() == Some(rpc::METHOD_NOT_FOUND) => return,
        Err(error) => format!("expected the error -32601, found: {error}"),
        Ok(_) => "expected the error -32601, found a result".to_owned(),
    };
    let mut seen = wire.seen();
    seen.findings.error("an unknown method", text);
}

fn report(findings: &Findings, client: Option<&Client>, output: Output) -> Result<(), Failure> {
    if output.json {
        let mut all = findings.to_json();
        if let Some(client) = client {
            all.insert("revision", client.revision().as_str());
        }
        return Ok(output.value(&all)?);
    }
    for finding in findings.sorted() {
        let paint = match finding.level {
            Level::Error => Paint::Red,
            Level::Warning => Paint::Yellow,
            Level::Hint => Paint::Blue,
        };
        let line = format!(": {}: {}", finding.place, finding.text);
        output.painted(paint, finding.level.name(), &line)?;
        if let Some(rule) = finding.rule {
            output.line(&format!("    {}: {}", rule.id(), rule.statement()))?;
        }
    }
    let counts = Level::ALL.map(|level| {
        let (count, name) = (findings.count(level), level.name());
        format!("{count} {name}{}", if count == 1 { "" } else { "s" })
    });
    let revision = client.map(|client| format!(" (revision {})", client.revision()));
    print_message(&format!(
        "{}{}",
        counts.join(", "),
        revision.unwrap_or_default()
    ));
    Ok(())
}
