//! `mcp servers`.

use std::path::Path;

use clap::ValueEnum;
use mcp_client::types::json::{Object, Value};

use crate::args::Servers;
use crate::configured::{Found, of_file, of_host};
use crate::failure::Failure;
use crate::hosts::{Host, Places};
use crate::output::{Output, print_error, print_message, table};

/// Lists the servers in the files of hosts, or in the file that is named.
pub(crate) fn servers(args: &Servers, output: Output) -> Result<(), Failure> {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    let config = args.config.as_deref();
    let wanted = config.and_then(Host::named);
    if let Some(file) = config.filter(|_| wanted.is_none()) {
        all = of_file(Path::new(file))?;
    } else {
        let hosts = Host::value_variants().iter();
        for host in hosts.filter(|host| wanted.is_none_or(|wanted| wanted == **host)) {
            let (found, failed) = of_host(*host, &Places::current());
            all.extend(found);
            faults.extend(failed);
        }
    }
    all.truncate(output.limit);
    if output.json {
        let servers: Value = all.iter().map(to_json).collect();
        output.value(&Object::from([("servers", servers)]))?;
    } else if output.is_table() {
        let rows: Vec<[String; 4]> = all.iter().map(row).collect();
        table::print(output, ["NAME", "HOST", "SERVER", "FILE"], &rows)?;
    } else {
        show(&all, output)?;
    }
    // The first fault decides the exit code.
    let first = (!faults.is_empty()).then(|| faults.remove(0));
    for fault in faults {
        print_error(&fault.to_string());
    }
    first.map_or(Ok(()), Err)
}

fn show(all: &[Found], output: Output) -> Result<(), Failure> {
    if all.is_empty() {
        print_message("no servers are listed");
    }
    let width = all.iter().map(|found| found.name.chars().count()).max();
    let width = width.unwrap_or_default().min(30);
    let mut before: Option<&Found> = None;
    for found in all {
        if before.is_none_or(|before| before.path != found.path) {
            let host = found.host.map(|host| format!("{}  ", host.name()));
            let host = host.unwrap_or_default();
            output.heading(&format!("{host}{}", found.path.display()))?;
        }
        let disabled = if found.entry.is_disabled() {
            "  (disabled)"
        } else {
            ""
        };
        let (name, summary) = (&found.name, found.entry.summary());
        output.line(&format!("  {name:width$}  {summary}{disabled}"))?;
        before = Some(found);
    }
    Ok(())
}

fn row(found: &Found) -> [String; 4] {
    let host = found.host.map_or("", Host::name).to_owned();
    let path = found.path.to_string_lossy().into_owned();
    [found.name.clone(), host, found.entry.summary(), path]
}

fn to_json(found: &Found) -> Object {
    let mut members = Object::new();
    if let Some(host) = found.host {
        members.insert("host", host.name());
    }
    members.insert("file", &*found.path.to_string_lossy());
    members.insert("name", found.name.as_str());
    members.insert("server", found.entry.summary());
    members.insert("disabled", found.entry.is_disabled());
    members
}
