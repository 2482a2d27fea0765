//! `mcp record`.

use crate::args::{Options, Record};
use crate::failure::Failure;
use crate::recording::format::{self, Secrets};
use crate::recording::recorder::{self, Recorder};
use crate::recording::{http, stdio};
use crate::secrets;
use crate::{hints, interrupted};

pub(crate) async fn record(args: &Record, options: &Options) -> Result<(), Failure> {
    let secrets = if args.keep_secrets {
        Secrets::Kept
    } else {
        Secrets::Removed
    };
    if args.program.is_empty() && (!options.env.is_empty() || options.cwd.is_some()) {
        let message = "`--env` and `--cwd` are only for programs, but the server is a URL";
        return Err(Failure::Usage(message.to_owned()));
    }
    let server = described(args)?;
    let (recorder, writing) = recorder::start(&args.output, server, secrets, args.max_size)?;
    let done = pass(args, options, recorder).await;
    writing.finish();
    done
}

async fn pass(args: &Record, options: &Options, recorder: Recorder) -> Result<(), Failure> {
    let Some(url) = args.words.first() else {
        return match stdio::record(&args.program, options, recorder).await? {
            0 => Ok(()),
            code => Err(Failure::Exited(code)),
        };
    };
    tokio::select! {
        done = http::record(url, args.listen, args.keep_secrets, options, recorder) => done,
        _ = interrupted() => Ok(()),
    }
}

/// Returns the server for the recording.
fn described(args: &Record) -> Result<format::Server, Failure> {
    let keeps_secrets = args.keep_secrets;
    match (&*args.words, &*args.program) {
        ([], program @ [_, ..]) => Ok(format::Server::Program(if keeps_secrets {
            let words = program
                .iter()
                .map(|word| word.to_string_lossy().into_owned());
            words.collect()
        } else {
            secrets::command_line(program)
        })),
        ([url], []) if hints::is_url(url) => Ok(format::Server::Url(if keeps_secrets {
            url.clone()
        } else {
            secrets::urls(url).into_owned()
        })),
        (words, _) => {
            let mut message = "expected a URL, or `-- PROGRAM...`".to_owned();
            if let Some(word) = words.first() {
                message += &format!("\nhint: {}", hints::of_server(word));
            }
            Err(Failure::Usage(message))
        }
    }
}
