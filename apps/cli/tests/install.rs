//! `mcp install` and `mcp uninstall`.

use serde_json::{Value, json};

use crate::support::user_folders::UserFolders;

const CLAUDE: &str = "home/.claude.json";

#[test]
fn server_is_added_to_a_file_and_everything_else_is_kept() {
    let folders = UserFolders::new("install");
    let before = "// my settings\r\n{\r\n\t\"theme\" : \"One\",  // dark\r\n\t\"context_servers\": {\r\n\t\t\"old\": {\"command\": \"x\"},\r\n\t},\r\n\t/* end */\r\n}\r\n";
    folders.write("home/.config/zed/settings.json", before);
    folders.printed(&[
        "install", "--config", "zed", "new", "-e", "LEVEL=1", "--", "npx", "-y", "server",
    ]);

    let after = folders.text("home/.config/zed/settings.json");
    let (start, end) = before.split_once("\"x\"},").expect("it has the entry");
    assert!(after.starts_with(&format!("{start}\"x\"}},")), "{after:?}");
    assert!(after.ends_with(end), "{after:?}");
    assert_eq!(
        after.replace("\r\n", "").matches('\n').count(),
        0,
        "{after:?}"
    );
    assert_eq!(folders.text("home/.config/zed/settings.json.bak"), before);
    let listed = folders.printed(&["servers", "--config", "zed"]);
    assert!(
        listed.contains("new  npx -y server\n") && listed.contains("old  x\n"),
        "{listed}"
    );

    folders.printed(&["uninstall", "--config", "zed", "new"]);
    assert_eq!(folders.text("home/.config/zed/settings.json"), before);
    let none = folders.run(&["uninstall", "--config", "zed", "new"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("no server `new`"), "{none:?}");
}

#[test]
fn entry_has_the_form_of_the_host() {
    let folders = UserFolders::new("install-forms");
    let program = json!({"command": "npx", "args": ["s"], "env": {"API_KEY": "${MY_KEY}"}});
    let typed = |value: &Value, kind: &str| {
        let mut value = value.clone();
        value["type"] = kind.into();
        value
    };
    let mut prefixed = program.clone();
    prefixed["env"]["API_KEY"] = "${env:MY_KEY}".into();
    let entry = |path: &str, list: &str| {
        let file: Value = serde_json::from_str(&folders.text(path)).expect("JSON");
        file[list]["s"].clone()
    };
    for (host, path, list, expected) in [
        (
            "claude-code",
            "project/.mcp.json",
            "mcpServers",
            typed(&program, "stdio"),
        ),
        (
            "vscode",
            "project/.vscode/mcp.json",
            "servers",
            typed(&prefixed, "stdio"),
        ),
        (
            "cursor",
            "project/.cursor/mcp.json",
            "mcpServers",
            prefixed.clone(),
        ),
    ] {
        let place = ["install", "--config", host, "--project", "s"];
        folders.printed(
            &[
                &place[..],
                &["--env", "API_KEY=${MY_KEY}", "--", "npx", "s"],
            ]
            .concat(),
        );
        assert_eq!(entry(path, list), expected, "{host}");
    }
    let header = ["--header", "Authorization: Bearer ${MY_KEY}"];
    let url = ["install", "--config", "claude-code", "s", "https://x/mcp"];
    folders.printed(&[&url[..], &header].concat());
    let headers = json!({"Authorization": "Bearer ${MY_KEY}"});
    let expected = json!({"type": "http", "url": "https://x/mcp", "headers": headers});
    assert_eq!(entry(CLAUDE, "mcpServers"), expected);

    // Nothing is kept beside a new file, and nothing is overwritten without `--replace`.
    assert!(!folders.0.0.join("home/.claude.json.bak").exists());
    let again = folders.run(&url);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.err.contains("`--replace`"), "{again:?}");
    folders.printed(&[&url[..], &["--replace"]].concat());
    assert_eq!(
        entry(CLAUDE, "mcpServers"),
        json!({"type": "http", "url": "https://x/mcp"})
    );
}

#[test]
fn secrets_are_refused() {
    let folders = UserFolders::new("install-secrets");
    folders.write(CLAUDE, "{}");
    let program = ["--", "npx", "s"];
    for (given, rest, said) in [
        (
            &["-e", "GITHUB_TOKEN=hunter2"][..],
            &program[..],
            "'${GITHUB_TOKEN}'",
        ),
        (
            &["-e", "LEVEL=ghp_0123456789abcdef0123"],
            &program,
            "secret",
        ),
        (
            &["https://x", "--header", "X-Api-Key: hunter2"],
            &[],
            "'${X_API_KEY}'",
        ),
        (&["https://x?api_key=hunter2"], &[], "'${API_KEY}'"),
        (&["https://ada:hunter2@x/"], &[], "secret"),
        (&[], &["--", "npx", "--token", "hunter2"], "'${TOKEN}'"),
        (&[], &["--", "npx", "--password=hunter2"], "'${PASSWORD}'"),
        (
            &[],
            &["--", "npx", "--header", "Authorization: Bearer hunter2"],
            "'${AUTHORIZATION}'",
        ),
        (&["-e", "A=${"], &program, "invalid variable"),
    ] {
        let arguments = [&["install", "--config", "claude-code", "s"], given, rest].concat();
        let refused = folders.run(&arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?} {refused:?}");
        assert!(refused.err.contains(said), "{arguments:?} {refused:?}");
        assert!(
            !refused.err.contains("hunter2"),
            "{arguments:?} {refused:?}"
        );
        assert_eq!(folders.text(CLAUDE), "{}");
    }
    let unable = [
        "install",
        "--config",
        "claude-desktop",
        "s",
        "-e",
        "KEY=${MY_KEY}",
        "--",
        "npx",
    ];
    let refused = folders.run(&unable);
    assert!(refused.err.contains("replaces no variables"), "{refused:?}");
}

#[test]
fn files_that_cannot_be_changed_stay_as_they_are() {
    let folders = UserFolders::new("install-faults");
    for text in [
        "{",
        "[]",
        r#"{"mcpServers": []}"#,
        "{'a': 1}",
        "\u{0}",
        r#"{"mcpServers": {"s": {}, "s": {}}}"#,
        r#"{"mcpServers": {}, "mcpServers": {}}"#,
    ] {
        folders.write(CLAUDE, text);
        let refused = folders.run(&["install", "--config", "claude-code", "s", "https://x"]);
        assert_eq!(refused.code, Some(2), "{text} {refused:?}");
        assert!(refused.err.contains(".claude.json"), "{text} {refused:?}");
        assert_eq!(folders.text(CLAUDE), text);
        assert!(!folders.0.0.join("home/.claude.json.bak").exists());
    }
    for (arguments, said) in [
        (&["install", "s", "https://x"][..], "--config <FILE|HOST>"),
        (
            &["install", "--config", "zed", "a b", "https://x"],
            "invalid name",
        ),
        (&["install", "--config", "zed", "s"], "expected a URL"),
        (
            &[
                "install",
                "--config",
                "claude-desktop",
                "--project",
                "s",
                "https://x",
            ],
            "no file",
        ),
        (
            &["install", "--config", "claude-desktop", "s", "https://x"],
            "connector",
        ),
        (
            &["install", "--config", "../nowhere/x.json", "s", "https://x"],
            "folder",
        ),
    ] {
        let refused = folders.run(arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?} {refused:?}");
        assert!(refused.err.contains(said), "{arguments:?} {refused:?}");
    }
}

#[test]
fn file_that_is_open_is_replaced() {
    let folders = UserFolders::new("install-open");
    folders.write(CLAUDE, "{}");
    let _open = std::fs::File::open(folders.path(CLAUDE)).expect("a file");
    folders.printed(&["install", "--config", "claude-code", "s", "https://x/"]);
    assert!(folders.text(CLAUDE).contains("https://x/"));
}

#[cfg(unix)]
#[test]
fn permissions_of_a_file_are_kept() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    let folders = UserFolders::new("install-permissions");
    folders.write(CLAUDE, "{}");
    let path = folders.0.0.join(CLAUDE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
    folders.printed(&["install", "--config", "claude-code", "s", "https://x/"]);
    assert!(folders.text(CLAUDE).contains("https://x/"));
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn links_are_kept_and_never_followed_by_backups() {
    use std::os::unix::fs::symlink;

    let folders = UserFolders::new("install-links");
    let at = |path: &str| folders.0.0.join(path);
    folders.write("dotfiles.json", "{\"mcpServers\": {}}");
    folders.write("victim", "precious");
    symlink(at("dotfiles.json"), at("project/.mcp.json")).expect("a link");
    symlink(at("victim"), at("dotfiles.json.bak")).expect("a link");
    folders.printed(&[
        "install",
        "--config",
        "claude-code",
        "--project",
        "s",
        "https://x/",
    ]);
    assert!(folders.text("dotfiles.json").contains("https://x/"));
    assert!(at("project/.mcp.json").is_symlink());
    assert_eq!(folders.text("victim"), "precious");
    // The first backup stays.
    assert!(at("dotfiles.json.bak").is_symlink());
}

#[test]
fn first_backup_is_kept() {
    let folders = UserFolders::new("install-backup");
    folders.write(CLAUDE, "{\"mcpServers\": {}} // mine");
    for name in ["a", "b"] {
        folders.printed(&["install", "--config", "claude-code", name, "https://x/"]);
    }
    let backup = folders.text("home/.claude.json.bak");
    assert_eq!(backup, "{\"mcpServers\": {}} // mine");
    assert!(folders.text(CLAUDE).contains("\"b\""));
}

#[test]
fn deep_text_is_refused_at_once() {
    let folders = UserFolders::new("install-deep");
    let text = [
        "{\"a\": ".to_owned(),
        "[".repeat(1 << 20),
        "]".repeat(1 << 20),
    ]
    .concat()
        + "}";
    folders.write(CLAUDE, &text);
    let refused = folders.run(&["install", "--config", "claude-code", "s", "https://x/"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("depth"), "{refused:?}");
}

#[test]
fn installs_at_the_same_time_keep_each_other() {
    let folders = UserFolders::new("install-together");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for before in [None, Some("{}")] {
        if let Some(before) = before {
            folders.write(CLAUDE, before);
        }
        std::thread::scope(|scope| {
            for name in names {
                let install = ["install", "--config", "claude-code", name, "https://x/"];
                let folders = &folders;
                scope.spawn(move || folders.printed(&install));
            }
        });
        let file: Value = serde_json::from_str(&folders.text(CLAUDE)).expect("JSON");
        let servers = file["mcpServers"].as_object().expect("an object");
        assert_eq!(servers.len(), names.len(), "{file}");
    }
}
