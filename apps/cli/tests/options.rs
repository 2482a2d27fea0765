//! Every option of every command has an effect: the commands and options are those that the help of the
//! program lists, so a new one needs an entry here.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::support::program::{Printed, mcp};

/// Commands that connect to a server, with their arguments.
const CONNECTING: [(&str, &[&str]); 18] = [
    ("call", &["tool"]),
    ("check", &[]),
    ("complete", &["prompt", "a=1"]),
    ("discover", &[]),
    ("fetch", &["a:b"]),
    ("icons", &[]),
    ("metadata", &["a:b"]),
    ("ping", &[]),
    ("prompt", &["prompt"]),
    ("prompts", &[]),
    ("read", &["a:b"]),
    ("request", &["tools/list"]),
    ("resources", &[]),
    ("shell", &[]),
    ("skills", &[]),
    ("tools", &[]),
    ("tree", &[]),
    ("watch", &[]),
];

/// Options that the tests of this file use with each of these commands.
const OF_CONNECTING: [&str; 6] = [
    "--cwd",
    "--env",
    "--header",
    "--max-message",
    "--revision",
    "--timeout",
];

/// Other options, each with a file of tests that uses it.
const OF_ALL: [(&str, &str); 31] = [
    ("--allow-private", "resources"),
    ("--args", "calls"),
    ("--cacert", "proxy"),
    ("--client-credentials", "authorization"),
    ("--client-id", "authorization"),
    ("--client-secret-env", "authorization"),
    ("--config", "servers"),
    ("--cwd", "odd"),
    ("--env", "install"),
    ("--format", "everyday"),
    ("--header", "install"),
    ("--help", "options"),
    ("--insecure", "proxy"),
    ("--issuer", "authorization"),
    ("--json", "calls"),
    ("--legacy-oauth", "authorization"),
    ("--limit", "everyday"),
    ("--login-port", "browser"),
    ("--max-message", "record"),
    ("--max-size", "record"),
    ("--no-browser", "browser"),
    ("--no-login", "authorization"),
    ("--output", "explain"),
    ("--project", "install"),
    ("--revision", "calls"),
    ("--scope", "browser"),
    ("--timeout", "calls"),
    ("--token-env", "authorization"),
    ("--verbose", "calls"),
    ("--verify", "skills"),
    ("--as", "resources"),
];

/// Options of single commands.
const OF_ONE: [(&str, &str, &str); 54] = [
    ("call", "--background", "tasks"),
    ("call", "--output", "everyday"),
    ("check", "--deny-warnings", "check"),
    ("check", "--proposals", "proposals"),
    ("check", "--read", "check"),
    ("check", "--slow", "check"),
    ("check", "--wait", "proposals"),
    ("check", "--write", "proposals"),
    ("fetch", "--http-url", "resources"),
    ("fetch", "--max-size", "resources"),
    ("gateway", "--allow-anyone", "gateway_login"),
    ("gateway", "--allow-domain", "gateway_login"),
    ("gateway", "--allow-org", "gateway_login"),
    ("gateway", "--allow-user", "gateway_login"),
    ("gateway", "--inherit-env", "gateway"),
    ("gateway", "--keys-env", "gateway"),
    ("gateway", "--listen", "gateway"),
    ("gateway", "--listen-token-env", "gateway"),
    ("gateway", "--login", "gateway_login"),
    ("gateway", "--login-client-id", "gateway_login"),
    ("gateway", "--login-scope", "gateway_login"),
    ("gateway", "--login-secret-env", "gateway_login"),
    ("gateway", "--public-url", "gateway_login"),
    ("gateway", "--search-above", "upstreams"),
    ("gateway", "--store-env", "gateway_store"),
    ("gateway", "--timeout", "upstreams"),
    ("gateway", "--tls-cert", "gateway_login"),
    ("gateway", "--tls-key", "gateway_login"),
    ("gateway", "--trusted-proxy", "gateway_login"),
    ("icons", "--output", "proposals"),
    ("icons", "--size", "proposals"),
    ("icons", "--theme", "proposals"),
    ("install", "--replace", "install"),
    ("mock", "--fault", "proposals"),
    ("mock", "--faults", "proposals"),
    ("mock", "--hostile", "proposals"),
    ("mock", "--listen", "proposals"),
    ("mock", "--proposals", "proposals"),
    ("mock", "--report", "proposals"),
    ("mock", "--tls-cert", "proposals"),
    ("mock", "--tls-key", "proposals"),
    ("mock", "--url-lifetime", "proposals"),
    ("read", "--unless", "resources"),
    ("record", "--keep-secrets", "record"),
    ("record", "--listen", "record"),
    ("record", "--output", "authorization"),
    ("replay", "--client", "replay"),
    ("replay", "--ignore", "replay"),
    ("replay", "--listen", "replay"),
    ("replay", "--timing", "replay"),
    ("resources", "--filter", "resources"),
    ("shell", "--no-history", "shell"),
    ("tree", "--depth", "resources"),
    ("uninstall", "--project", "install"),
];

/// Options that no test of the program uses yet.
const UNTESTED: [&str; 1] = [
    // The tests of the client do.
    "--assume-pkce",
];

/// The short forms of options.
const SHORT: [(&str, &str); 3] = [("--output", "-o"), ("--verbose", "-v"), ("--env", "-e")];

fn help(command: &[&str]) -> String {
    let printed: Printed = mcp()
        .args(command)
        .arg("--help")
        .output()
        .expect("it runs")
        .into();
    assert_eq!(printed.code, Some(0), "{command:?}: {printed:?}");
    printed.out
}

/// Returns the commands below one.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

/// Returns the long names of the options of a command.
fn options(help: &str) -> Vec<String> {
    let lines = help.lines().map(str::trim_start);
    let lines = lines.filter(|line| line.starts_with('-'));
    let words = lines.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    let words = words.map(|word| word.trim_end_matches("..."));
    words
        .map(|word| word.split(['=', '[']).next().unwrap_or(word).to_owned())
        .collect()
}

/// Returns all commands with their options.
fn definition() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for command in commands(&help(&[])) {
        let text = help(&[&command]);
        for option in options(&text) {
            all.push((command.clone(), option));
        }
        for below in commands(&text) {
            let both = help(&[&command, &below]);
            all.extend(
                options(&both)
                    .into_iter()
                    .map(|option| (command.clone(), option)),
            );
        }
    }
    all
}

/// Returns the file of tests that uses an option of a command.
fn tested_in(command: &str, option: &str) -> Option<&'static str> {
    let is_connecting = CONNECTING.iter().any(|(known, _)| *known == command);
    if is_connecting && OF_CONNECTING.contains(&option) {
        return Some("options");
    }
    let of_one = OF_ONE.iter();
    let mut of_one = of_one.filter(|(of, known, _)| *of == command && *known == option);
    let of_all = || OF_ALL.iter().find(|(known, _)| *known == option);
    let own = of_one.next().map(|(_, _, file)| *file);
    own.or_else(|| of_all().map(|(_, file)| *file))
}

#[test]
fn every_option_is_used_by_a_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let mut faults = Vec::new();
    let defined = definition();
    for (command, option) in &defined {
        let is_untested = UNTESTED.contains(&&**option);
        match tested_in(command, option) {
            _ if is_untested => {}
            Some("options") => {}
            Some(file) => {
                let text = fs::read_to_string(format!("{folder}/{file}.rs")).expect("a file");
                let short = SHORT.iter().find(|(long, _)| long == option);
                let names = [Some(&**option), short.map(|(_, short)| *short)];
                let mut names = names.into_iter().flatten();
                if !names.any(|name| text.contains(&format!("\"{name}\""))) {
                    faults.push(format!("{command} {option}: {file}.rs does not use it"));
                }
            }
            None => faults.push(format!("{command} {option}: no test uses it")),
        }
    }
    let commands: BTreeSet<_> = defined.iter().map(|(command, _)| &**command).collect();
    let options: BTreeSet<_> = defined.iter().map(|(_, option)| &**option).collect();
    let listed = OF_ONE.iter().map(|(_, option, _)| *option);
    let listed = listed.chain(OF_ALL.iter().map(|(option, _)| *option));
    let listed = listed.chain(OF_CONNECTING).chain(UNTESTED);
    faults.extend(
        listed
            .filter(|option| !options.contains(option))
            .map(|option| format!("there is no {option}")),
    );
    let listed = CONNECTING.iter().map(|(command, _)| *command);
    faults.extend(
        listed
            .filter(|command| !commands.contains(command))
            .map(|command| format!("there is no {command}")),
    );
    assert!(faults.is_empty(), "{faults:#?}");
}

#[cfg(unix)]
#[test]
fn options_for_programs_take_effect_in_every_command() {
    let folder = crate::support::folder::Folder::new("options-programs").created();
    let script = "echo \"$GATEWAY_TEST_OPTION $PWD\" > \"$0\"; exec sleep 60";
    let check = &|command: &str, arguments: &[&str]| {
        let seen = folder.file(&format!("{command}.txt"));
        let mut running = mcp();
        running.arg(command).args(["--timeout", "0.4"]);
        running.args(["--cwd", "/", "--env", "GATEWAY_TEST_OPTION=own"]);
        running
            .args(arguments)
            .args(["--", "sh", "-c", script, &seen]);
        let printed: Printed = running.output().expect("it runs").into();
        let seen = fs::read_to_string(&seen).unwrap_or_default();
        assert_eq!(seen, "own /\n", "{command}: {printed:?}");
        assert_eq!(printed.code, Some(5), "{command}: {printed:?}");
    };
    // Beside each other: each program takes some seconds to be stopped.
    std::thread::scope(|scope| {
        for (command, arguments) in CONNECTING {
            scope.spawn(move || check(command, arguments));
        }
    });
}

#[test]
fn options_for_urls_take_effect_in_every_command() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let requests = Arc::<Mutex<String>>::default();
    let noted = Arc::clone(&requests);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.expect("accepted");
            let mut request = [0; 16 << 10];
            let size = socket.read(&mut request).unwrap_or_default();
            *noted.lock().expect("no panic") += &String::from_utf8_lossy(&request[..size]);
            let body = format!("{{\"padding\":\"{}\"}}", "x".repeat(2_000));
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json";
            let _ = write!(
                socket,
                "{head}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    for (command, arguments) in CONNECTING {
        requests.lock().expect("no panic").clear();
        let mut running = mcp();
        running
            .arg(command)
            .args(["--revision", "2025-03-26", "--max-message", "1000"]);
        running
            .args(["--header", "x-own: yes"])
            .arg(&url)
            .args(arguments);
        let printed: Printed = running.output().expect("it runs").into();
        let expected = "a message of more than 1000 bytes";
        let all = format!("{}{}", printed.err, printed.out);
        assert!(all.contains(expected), "{command}: {printed:?}");
        let requests = requests.lock().expect("no panic");
        assert!(requests.contains("x-own: yes"), "{command}: {requests}");
        assert!(requests.contains("\"2025-03-26\""), "{command}: {requests}");
    }
}
