//! `mcp explain`.

use std::io::Write;
use std::path::Path;

use mcp_client::types::json::to_string;

use crate::args::{Explain, Format};
use crate::failure::Failure;
use crate::output::Output;
use crate::recording::explain::{explain as explained, json, page, table};
use crate::recording::reader::Recording;
use crate::recording::recorder;

pub(crate) fn explain(args: &Explain, output: Output) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    if let Some(output) = &args.output
        && real(output).is_some_and(|output| Some(output) == real(&args.file))
    {
        let message = "the explanation would replace the recording: name another file with `-o`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let recording = Recording::read(&args.file)?;
    let explanation = explained(&recording);
    let is_json = output.json || args.format == Format::Json;
    let mut text = match args.format {
        _ if is_json => to_string(&json(&explanation)).map_err(std::io::Error::from)?,
        Format::Html => page(&explanation),
        _ => table(&explanation),
    };
    match &args.output {
        Some(path) => write(path, &text),
        None if is_json => Ok(output.json(&text)?),
        None => {
            // Text of peers is escaped already.
            text.truncate(text.trim_end().len());
            Ok(output.block(&text)?)
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = recorder::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}
