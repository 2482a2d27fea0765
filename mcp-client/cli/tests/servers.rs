//! Servers that are named by the files of hosts, and `mcp servers`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use super::{Served, subject};
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// A home and a project of a user.
pub(crate) struct World(pub(crate) Folder);

impl World {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Folder::new(name).created();
        for path in [
            "home/.config/Claude",
            "home/.config/Code/User",
            "home/.config/zed",
            "home/.cursor",
            "project/.vscode",
        ] {
            fs::create_dir_all(folder.0.join(path)).expect("a folder");
        }
        Self(folder)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.0.0.join(path), text).expect("written");
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.0.join(path)).expect("a file")
    }

    /// Runs `mcp` in the project.
    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        let mut command = mcp();
        command
            .args(arguments)
            .current_dir(self.0.0.join("project"));
        command.env("HOME", self.0.0.join("home"));
        command.env("MCP_AUTH_DIR", self.0.0.join("tokens"));
        command.env("SUBJECT", subject()).env("HUSH", "hunter2");
        for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"] {
            command.env_remove(name);
        }
        command.output().expect("it runs").into()
    }

    /// Runs `mcp`, which must succeed.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let printed = self.run(arguments);
        assert_eq!(printed.code, Some(0), "{arguments:?} {printed:?}");
        printed.out
    }
}

#[test]
fn program_of_a_file_is_started_with_its_arguments_environment_and_folder() {
    let world = World::new("config-program");
    let script =
        "[ \"$SECRET\" = hunter2 ] && [ \"$MORE\" = mine ] && [ -d .vscode ] && exec \"$1\"";
    let entry = json!({
        "command": "sh", "args": ["-c", script, "sh", "${SUBJECT}"], "cwd": "${workspaceFolder}",
        "env": {"SECRET": "${HUSH}", "MORE": "theirs"},
    });
    let file = json!({"mcpServers": {"sub": entry, "broken": {"command": "${NO_SUCH_VARIABLE}"}}});
    world.write("some.json", &file.to_string());
    let sum = [
        "call",
        "--config",
        "../some.json",
        "sub",
        "add",
        "a=1",
        "b=2",
        "-e",
        "MORE=mine",
    ];
    assert_eq!(world.printed(&sum), "3\n");

    for (arguments, expected) in [
        (
            &["tools", "--config", "../some.json"][..],
            "no server is named",
        ),
        (
            &["tools", "--config", "../some.json", "none"],
            "has no server `none`; it lists `",
        ),
        (
            &["tools", "--config", "../some.json", "broken"],
            "../some.json: mcpServers.broken.command: the variable `NO_SUCH_VARIABLE` is not set",
        ),
        (
            &["tools", "--config", "../none.json", "sub"],
            "../none.json",
        ),
        (
            &["tools", "--config", "../some.json", "--", "true"],
            "both `--config` and a program",
        ),
        (
            &["login", "--config", "../some.json", "sub"],
            "`sub` is a program",
        ),
        (
            &["auth", "status", "--config", "zed"],
            "unexpected argument '--config'",
        ),
        (&["tools", "@none"], "no host lists a server `none`"),
    ] {
        let printed = world.run(arguments);
        assert_eq!(printed.code, Some(2), "{arguments:?} {printed:?}");
        assert!(printed.err.contains(expected), "{arguments:?} {printed:?}");
    }
}

#[test]
fn url_of_a_host_is_called_with_its_headers() {
    let world = World::new("config-url");
    let subject = Served::start();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let headers = json!({"X-Tenant": "${env:HUSH}", "X-Other": "theirs"});
    let server =
        json!({"type": "http", "url": format!("http://{address}/mcp"), "headers": headers});
    let text = format!("{{ // for VS Code\n\"servers\": {{\"web\": {server},}},\n}}");
    world.write("project/.vscode/mcp.json", &text);
    let asked = thread::spawn(move || {
        let mut head = String::new();
        let (stream, _) = listener.accept().expect("a client");
        let mut lines = BufReader::new(stream).lines();
        while let Some(Ok(line)) = lines
            .next()
            .filter(|line| !matches!(line.as_deref(), Ok("")))
        {
            head += &format!("{}\n", line.to_lowercase());
        }
        head
    });
    world.run(&[
        "ping",
        "--config",
        "vscode",
        "web",
        "--header",
        "x-other: mine",
    ]);
    let head = asked.join().expect("a request");
    assert!(head.contains("x-tenant: hunter2\n"), "{head}");
    assert!(
        head.contains("x-other: mine\n") && !head.contains("theirs"),
        "{head}"
    );

    let plain = json!({"context_servers": {"web": {"url": subject.url, "headers": {"x-tenant": "${env:HUSH}"}}}});
    world.write("home/.config/zed/settings.json", &plain.to_string());
    let both = world.run(&["ping", "@web"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    for part in ["several servers `web`", "vscode, ", "zed, ", &subject.url] {
        assert!(both.err.contains(part), "{part} {both:?}");
    }
    fs::remove_file(world.0.0.join("project/.vscode/mcp.json")).expect("it exists");
    assert_eq!(world.printed(&["call", "@web", "add", "a=1", "b=2"]), "3\n");
    assert_eq!(
        world.printed(&["call", "--config", "zed", "web", "add", "a=1", "b=2"]),
        "3\n"
    );
}

#[test]
fn servers_of_all_hosts_are_listed_without_secrets() {
    let world = World::new("servers");
    let project = world.0.0.join("project").canonicalize().expect("a folder");
    let project = project.to_str().expect("text");
    let files = [
        (
            "project/.mcp.json",
            json!({"mcpServers": {"a": {"command": "npx", "args": ["--token", "hunter2", "--header", "Authorization: Basic hunter2"]}}}),
        ),
        (
            "home/.claude.json",
            json!({
                "mcpServers": {"b": {"type": "http", "url": "https://u:hunter2@x/mcp?k=hunter2"}},
                "projects": {(project): {"mcpServers": {"c": {"command": "local"}}}},
            }),
        ),
        (
            "home/.config/Claude/claude_desktop_config.json",
            json!({"mcpServers": {"d": {"command": "d", "env": {"K": "hunter2"}}}}),
        ),
        (
            "home/.cursor/mcp.json",
            json!({"mcpServers": {"e": {"command": "e", "disabled": true}}}),
        ),
        (
            "home/.config/Code/User/mcp.json",
            json!({"servers": {"f\u{1b}[2J": {"command": "f"}}}),
        ),
        ("home/.config/zed/settings.json", json!({"theme": "One"})),
    ];
    for (path, value) in &files {
        world.write(path, &value.to_string());
    }
    let listed = world.run(&["servers"]);
    assert_eq!((listed.code, &*listed.err), (Some(0), ""), "{listed:?}");
    assert!(
        !listed.out.contains("hunter2") && !listed.out.contains('\u{1b}'),
        "{listed:?}"
    );
    for line in [
        "  a  ",
        "  b  ",
        "npx --token … --header Authorization: …\n",
        "https://x/mcp?…\n",
        "(disabled)\n",
    ] {
        assert!(listed.out.contains(line), "{line} {listed:?}");
    }
    let all: Value = serde_json::from_str(&world.printed(&["servers", "--json"])).expect("JSON");
    let all = all["servers"].as_array().expect("a list");
    let names: Vec<_> = all.iter().map(|s| (&s["host"], &s["name"])).collect();
    assert_eq!(
        json!(names),
        json!([
            ["claude-code", "c"],
            ["claude-code", "a"],
            ["claude-code", "b"],
            ["claude-desktop", "d"],
            ["cursor", "e"],
            ["vscode", "f\u{1b}[2J"],
        ])
    );
    assert_eq!(
        world
            .printed(&["servers", "--config", "cursor", "--json"])
            .matches("host")
            .count(),
        1
    );

    world.write("home/.cursor/mcp.json", "{\n  nonsense");
    let faulty = world.run(&["servers"]);
    assert_eq!(faulty.code, Some(2), "{faulty:?}");
    assert!(
        faulty
            .err
            .contains(".cursor/mcp.json: invalid JSON in line 2, column "),
        "{faulty:?}"
    );
    assert!(faulty.out.contains("local\n"), "{faulty:?}");
}

#[test]
fn task_of_a_named_server_is_remembered_by_the_name() {
    let world = World::new("config-task");
    let subject = Served::with(&["http", "tasks"]);
    let server = json!({"mcpServers": {"sub": {"url": format!("{}?key=hunter2", subject.url)}}});
    world.write("project/.mcp.json", &server.to_string());
    let id = world.printed(&["call", "--background", "@sub", "render"]);
    assert_eq!(
        world.printed(&["tasks", "list"]),
        format!("{}  render  @sub\n", id.trim())
    );
    let state = world.printed(&["tasks", "get", id.trim()]);
    assert!(state.starts_with("working"), "{state}");
    for file in fs::read_dir(world.0.0.join("tokens/tasks")).expect("a folder") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        assert!(!text.contains("hunter2"), "{text}");
    }
    world.printed(&["tasks", "cancel", id.trim()]);
}
