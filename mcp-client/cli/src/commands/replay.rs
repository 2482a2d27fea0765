//! `mcp replay`.

use mcp_client::types::json::{Object, Value};

use crate::args::{Options, Replay};
use crate::failure::Failure;
use crate::interrupted;
use crate::output::{Output, print_message};
use crate::recording::format::Secrets;
use crate::recording::reader::Recording;
use crate::recording::replay::client::{self, Report};
use crate::recording::replay::link::Link;
use crate::recording::replay::player::Player;
use crate::recording::replay::script::Script;
use crate::recording::replay::{http, server};
use crate::recording::session::Session;

pub(crate) async fn replay(
    args: &Replay,
    options: &Options,
    output: Output,
) -> Result<(), Failure> {
    let recording = Recording::read(&args.file)?;
    let session = Session::new(&recording);
    if args.client {
        let link = match &args.url {
            Some(url) => Link::url(url, options)?,
            None => Link::program(&args.program, options)?,
        };
        return tokio::select! {
            report = client::play(&session, link, args.timing, options.common.timeout) => {
                show(&report, output)
            }
            interrupted = interrupted() => interrupted,
        };
    }
    let without_secrets = recording.header.secrets == Secrets::Removed;
    let player = Player::new(Script::new(&session), args.timing, without_secrets);
    if let Some(listen) = args.listen {
        return tokio::select! {
            served = http::serve(player, listen, options.max_message) => served,
            _ = interrupted() => Ok(()),
        };
    }
    tokio::select! {
        served = server::serve(player, options.max_message) => served,
        interrupted = interrupted() => interrupted,
    }
}

fn show(report: &Report, output: Output) -> Result<(), Failure> {
    let mismatches = &report.mismatches;
    if output.json {
        let mismatches: Vec<Object> = mismatches.iter().map(to_json).collect();
        output.value(&Object::from([
            ("compared", Value::from(report.compared)),
            ("mismatches", Value::from(mismatches)),
        ]))?;
    } else {
        for mismatch in mismatches {
            output.line(&format!("#{} {}", mismatch.number, mismatch.method))?;
            for difference in &mismatch.differences {
                output.line(&format!("  {difference}"))?;
            }
        }
        let (compared, different) = (report.compared, mismatches.len());
        print_message(&format!("{compared} answers compared, {different} differ"));
    }
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Failure::Different)
    }
}

fn to_json(mismatch: &client::Mismatch) -> Object {
    let differences = mismatch
        .differences
        .iter()
        .map(|text| Value::from(text.as_str()));
    Object::from([
        ("number", Value::from(mismatch.number)),
        ("method", Value::from(mismatch.method.as_str())),
        ("differences", differences.collect::<Vec<_>>().into()),
    ])
}
