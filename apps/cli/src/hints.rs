//! Hints for command lines that do not name a server in the expected way.

use std::ffi::OsString;

use clap::error::ErrorKind;

/// Returns a hint for a command line that cannot be parsed: the options of a program that is not
/// after `--` are taken for those of `mcp`.
pub(crate) fn of_arguments(error: &clap::Error) -> Option<String> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let separated = words.iter().any(|word| word == "--");
    if error.kind() != ErrorKind::UnknownArgument || separated {
        return None;
    }
    let words: Vec<_> = words.iter().filter_map(|word| word.to_str()).collect();
    let [command, program, arguments @ ..] = words.as_slice() else {
        return None;
    };
    if program.starts_with('-') || is_url(program) {
        return None;
    }
    let arguments = arguments.join(" ");
    Some(of_program(command, &format!("{program} {arguments}")))
}

fn of_program(command: &str, program: &str) -> String {
    format!("a server that is a program comes after `--`: mcp {command} -- {program}")
}

/// Returns a hint for a word in the place of the server.
pub(crate) fn of_server(word: &str) -> String {
    let host = word.split('/').next().unwrap_or_default();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let has_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let local = ["localhost", "127.0.0.1", "[::1]"].contains(&name);
    let is_path = word.starts_with(['.', '/']);
    if word.contains(char::is_whitespace) {
        let program = format!("without quotes, `-- {word}`");
        return format!("a server that is a program comes after `--`, {program}");
    }
    if !is_path && (local || has_port || (word.contains('/') && name.contains('.'))) {
        let scheme = if local { "http" } else { "https" };
        return format!("a URL begins with its scheme: `{scheme}://{word}`");
    }
    format!(
        "a server that is a program comes after `--`: `-- {word}`, and one that a host lists after \
         `@`: `@{word}`"
    )
}

/// Returns `true` for the URL of a server.
pub(crate) fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://")
}
