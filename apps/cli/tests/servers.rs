//! Servers that are named by the files of hosts, and `mcp servers`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use super::Served;
use crate::support::user_folders::UserFolders;
#[cfg(unix)]
use crate::terminal::User;

#[cfg(unix)]
#[test]
fn program_of_a_file_is_started_with_its_arguments_environment_and_folder() {
    let folders = UserFolders::new("config-program");
    let script =
        "[ \"$SECRET\" = hunter2 ] && [ \"$MORE\" = mine ] && [ -d .vscode ] && exec \"$1\"";
    let entry = json!({
        "command": "sh", "args": ["-c", script, "sh", "${SUBJECT}"], "cwd": "${workspaceFolder}",
        "env": {"SECRET": "${HUSH}", "MORE": "theirs"},
    });
    let file = json!({"mcpServers": {"sub": entry, "broken": {"command": "${NO_SUCH_VARIABLE}"},
        "api": {"openapi": "api.yaml"}}});
    folders.write("some.json", &file.to_string());
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
    assert_eq!(folders.printed(&sum), "3\n");

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
            &["tools", "--config", "../some.json", "api"],
            "`api` is an HTTP API with an OpenAPI document: only `mcp gateway` serves it",
        ),
        (
            &["login", "--config", "../some.json", "api"],
            "`api` is an HTTP API",
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
        let printed = folders.run(arguments);
        assert_eq!(printed.code, Some(2), "{arguments:?} {printed:?}");
        assert!(printed.err.contains(expected), "{arguments:?} {printed:?}");
    }
}

#[test]
fn url_of_a_host_is_called_with_its_headers() {
    let folders = UserFolders::new("config-url");
    let subject = Served::start();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let headers = json!({"X-Tenant": "${env:HUSH}", "X-Other": "theirs"});
    let server =
        json!({"type": "http", "url": format!("http://{address}/mcp"), "headers": headers});
    let text = format!("{{ // for VS Code\n\"servers\": {{\"web\": {server},}},\n}}");
    folders.write("project/.vscode/mcp.json", &text);
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
    folders.run(&[
        "ping",
        "--config",
        "vscode",
        "web",
        "--project",
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
    folders.write("home/.config/zed/settings.json", &plain.to_string());
    folders.write("home/.config/Code/User/mcp.json", &text);
    let both = folders.run(&["ping", "@web"]);
    assert_eq!(both.code, Some(2), "{both:?}");
    for part in ["several servers `web`", "vscode, ", "zed, ", &subject.url] {
        assert!(both.err.contains(part), "{part} {both:?}");
    }
    fs::remove_file(folders.path("home/.config/Code/User/mcp.json")).expect("it exists");
    assert_eq!(
        folders.printed(&["call", "@web", "add", "a=1", "b=2"]),
        "3\n"
    );
    assert_eq!(
        folders.printed(&["call", "--config", "zed", "web", "add", "a=1", "b=2"]),
        "3\n"
    );
}

#[test]
fn servers_of_all_hosts_are_listed_without_secrets() {
    let folders = UserFolders::new("servers");
    let project = folders
        .0
        .0
        .join("project")
        .canonicalize()
        .expect("a folder");
    let project = project.to_str().expect("text");
    // As Claude Code writes it on Windows.
    let project = project.trim_start_matches(r"\\?\").replace('\\', "/");
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
        folders.write(path, &value.to_string());
    }
    let listed = folders.run(&["servers"]);
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
    let all: Value = serde_json::from_str(&folders.printed(&["servers", "--json"])).expect("JSON");
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
        folders
            .printed(&["servers", "--config", "cursor", "--json"])
            .matches("host")
            .count(),
        1
    );

    folders.write("home/.cursor/mcp.json", "{\n  nonsense");
    let faulty = folders.run(&["servers"]);
    assert_eq!(faulty.code, Some(2), "{faulty:?}");
    assert!(
        faulty
            .err
            .replace('\\', "/")
            .contains(".cursor/mcp.json: invalid JSON in line 2, column "),
        "{faulty:?}"
    );
    assert!(faulty.out.contains("local\n"), "{faulty:?}");
}

#[test]
fn task_of_a_named_server_is_remembered_by_the_name() {
    let folders = UserFolders::new("config-task");
    let subject = Served::with(&["http", "tasks"]);
    let server = json!({"mcpServers": {"sub": {"url": format!("{}?key=hunter2", subject.url)}}});
    folders.write("project/.mcp.json", &server.to_string());
    let id = folders.printed(&["call", "--background", "@sub", "--project", "render"]);
    assert_eq!(
        folders.printed(&["tasks", "list"]),
        format!("{}  render  @sub\n", id.trim())
    );
    // An entry of the user with the same name is another server.
    let other = json!({"mcpServers": {"sub": {"command": "false"}}});
    folders.write("home/.claude.json", &other.to_string());
    let asked = folders.run(&["tasks", "get", id.trim()]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.err.contains("add `--project`"), "{asked:?}");
    let state = folders.printed(&["tasks", "get", id.trim(), "--project"]);
    assert!(state.starts_with("working"), "{state}");
    for file in fs::read_dir(folders.0.0.join("tokens/tasks")).expect("a folder") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        assert!(!text.contains("hunter2"), "{text}");
    }
    folders.printed(&["tasks", "cancel", id.trim(), "--project"]);
}

#[cfg(unix)]
#[test]
fn server_of_a_project_is_used_only_with_consent() {
    for (host, file, list) in [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("zed", ".zed/settings.json", "context_servers"),
    ] {
        let folders = UserFolders::new(&format!("consent-{host}"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let address = listener.local_addr().expect("bound");
        // Programs of a project get no variables of the user but those that are named.
        let script = "echo started > started; [ -z \"$HUSH\" ] && exec \"$OWN\"";
        let env = json!({"OWN": "${SUBJECT}"});
        let servers = json!({
            "own": {"command": "sh", "args": ["-c", script], "env": env},
            "web": {"url": format!("http://{address}/${{HUSH}}")},
        });
        for folder in [".cursor", ".zed"] {
            fs::create_dir_all(folders.0.0.join("project").join(folder)).expect("a folder");
        }
        let path = format!("project/{file}");
        folders.write(&path, &json!({(list): servers}).to_string());
        let started = folders.0.0.join("project/started");
        for arguments in [
            &["tools", "@own"][..],
            &["tools", "--config", host, "own"],
            &["tools", "@web"],
            &["login", "@web"],
            &["logout", "--config", host, "web"],
        ] {
            let printed = folders.run(arguments);
            assert_eq!(printed.code, Some(2), "{arguments:?} {printed:?}");
            for part in [file, "add `--project`"] {
                assert!(printed.err.contains(part), "{arguments:?} {printed:?}");
            }
            assert!(!printed.err.contains("hunter2"), "{printed:?}");
        }
        assert!(
            folders
                .run(&["ping", "@web"])
                .err
                .contains("variables HUSH")
        );
        assert!(!started.exists() && listener.accept().is_err());
        for arguments in [
            &["call", "@own", "--project", "add", "a=1", "b=2"][..],
            &[
                "call",
                "--config",
                host,
                "own",
                "--project",
                "add",
                "a=1",
                "b=2",
            ],
        ] {
            let printed = folders.run(arguments);
            assert_eq!(
                (printed.code, &*printed.out),
                (Some(0), "3\n"),
                "{printed:?}"
            );
            let named = format!("{file}\n");
            assert!(
                printed.err.starts_with("using the server `own` of /"),
                "{printed:?}"
            );
            assert!(printed.err.ends_with(&named), "{printed:?}");
            fs::remove_file(&started).expect("it was started");
        }
    }
}

#[cfg(unix)]
#[test]
fn user_is_asked_before_a_server_of_a_project_is_used() {
    let folders = UserFolders::new("consent-question");
    let server = json!({"mcpServers": {"own": {"command": "${SUBJECT}"}}});
    let other = json!({"mcpServers": {"own": {"command": "false"}}});
    for (answer, code) in [("n", 2), ("", 2), ("y", 0)] {
        folders.write("project/.mcp.json", &server.to_string());
        let mut user = User::at(folders.command(&["call", "@own", "add", "a=1", "b=2"]));
        user.sees("\"command\": \"${SUBJECT}\"");
        user.sees("Use it, with the variables SUBJECT? [y/N]");
        // The user agrees to what was shown, whatever the file says meanwhile.
        folders.write("project/.mcp.json", &other.to_string());
        user.types(answer);
        if code == 0 {
            user.sees("3");
        } else {
            user.sees("the server `own` is not used");
        }
        user.ends(code);
    }
}

#[cfg(unix)]
#[test]
fn question_hides_nothing_that_decides_what_is_started() {
    let folders = UserFolders::new("consent-hidden");
    let harmless = "harmless ".repeat(150);
    for (member, value) in [
        (
            "env",
            json!({"LD_PRELOAD": "./evil.so", "API_KEY": "ghp_0123456789012345678901234567"}),
        ),
        ("cwd", json!("/tmp/evil")),
        ("args", json!(["-c", "TOKEN=x; ./evil"])),
        ("args", json!(["--token", "$(./evil)"])),
        ("args", json!([harmless, "./evil"])),
        ("args", json!(["\u{202e}\u{1b}[2J\n./evil"])),
        ("headers", json!({"x-a": "evil"})),
    ] {
        let server = json!({"command": "sh", (member): value});
        let file = json!({"mcpServers": {"own": server}});
        folders.write("project/.mcp.json", &file.to_string());
        let mut user = User::at(folders.command(&["tools", "@own"]));
        user.sees("evil");
        user.sees("[y/N]");
        user.types("n");
        user.ends(2);
        // Without a terminal, the members are named, and no secret is printed.
        let printed = folders.run(&["tools", "@own"]);
        let named = printed.err.split("with the members ").nth(1);
        assert!(
            named.is_some_and(|named| named.contains(member)),
            "{printed:?}"
        );
        assert!(!printed.err.contains("ghp_"), "{printed:?}");
    }
    let long = json!({"command": "sh", "args": ["x".repeat(5_000)]});
    folders.write(
        "project/.mcp.json",
        &json!({"mcpServers": {"own": long}}).to_string(),
    );
    let mut user = User::at(folders.command(&["tools", "@own"]));
    user.sees("too many to be judged");
    user.ends(2);
}

#[test]
fn entry_of_the_user_is_used_before_that_of_a_project() {
    let folders = UserFolders::new("consent-order");
    let theirs = json!({"mcpServers": {"sub": {"command": "false"}}});
    let own = json!({"mcpServers": {"sub": {"command": "${SUBJECT}"}}});
    folders.write("project/.mcp.json", &theirs.to_string());
    folders.write("home/.claude.json", &own.to_string());
    for words in [&["@sub"][..], &["--config", "claude-code", "sub"]] {
        let printed = folders.run(&[&["call"], words, &["add", "a=1", "b=2"]].concat());
        assert_eq!(
            (printed.code, &*printed.out),
            (Some(0), "3\n"),
            "{printed:?}"
        );
        let file = printed.err.replace('\\', "/");
        assert!(file.ends_with("home/.claude.json\n"), "{printed:?}");
    }
    for arguments in [
        &["tools", "--project", "--", "true"][..],
        &["tools", "--project", "http://127.0.0.1:1/"],
        &[
            "tools",
            "--project",
            "--config",
            "../home/.claude.json",
            "sub",
        ],
        &["tools", "--project", "--config", "claude-desktop", "sub"],
    ] {
        let printed = folders.run(arguments);
        assert_eq!(printed.code, Some(2), "{printed:?}");
    }
}
