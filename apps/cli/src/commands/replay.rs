//! `mcp replay`.

use std::sync::Arc;

use mcp_client::types::json::{Object, Value};

use crate::args::{Options, Replay};
use crate::failure::Failure;
use crate::interrupted;
use crate::output::{Output, print_message};
use crate::recording::format::Secrets;
use crate::recording::reader::Recording;
use crate::recording::replay::client::{self, How, Report};
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
    let without_secrets = recording.header.secrets == Secrets::Removed;
    if args.client {
        let link = match &args.url {
            Some(url) => Link::url(url, options)?,
            None => Link::program(&args.program, options)?,
        };
        let how = How {
            timing: args.timing,
            time: options.common.timeout,
            ignored: &args.ignore,
            without_secrets,
        };
        return tokio::select! {
            report = client::play(&session, link, &how) => show(&report, output),
            interrupted = interrupted() => interrupted,
        };
    }
    let player = Player::new(Script::new(&session), args.timing, without_secrets);
    let player = Arc::new(player);
    let served = async {
        let (player, limit) = (Arc::clone(&player), options.max_message);
        match args.listen {
            Some(listen) => http::serve(player, listen, limit).await,
            None => server::serve(player, limit).await,
        }
    };
    // A host may end a server with a signal.
    tokio::select! {
        served = served => served?,
        _ = interrupted() => {}
    }
    player.finish()
}

fn show(report: &Report, output: Output) -> Result<(), Failure> {
    let mismatches = &report.mismatches;
    if output.json {
        let mismatches: Vec<Object> = mismatches.iter().map(to_json).collect();
        output.value(&Object::from([
            ("compared", Value::from(report.compared)),
            ("mismatches", Value::from(mismatches)),
            ("unexpected", names(&report.unexpected)),
            ("unused", names(&report.unused)),
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
    for method in &report.unexpected {
        print_message(&format!(
            "the server asked `{method}`, which the recording does not answer"
        ));
    }
    for method in &report.unused {
        print_message(&format!(
            "the server did not ask `{method}`, as it did when it was recorded"
        ));
    }
    if mismatches.is_empty() && report.unexpected.is_empty() && report.unused.is_empty() {
        Ok(())
    } else {
        Err(Failure::Different)
    }
}

fn names(methods: &[String]) -> Value {
    methods
        .iter()
        .map(|name| Value::from(name.as_str()))
        .collect()
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
