use super::*;

fn resolved(entry: &str) -> Result<ResolvedServer, ConfigError> {
    let config = ServersConfig::parse(&format!(r#"{{"mcpServers": {{"a.b": {entry}}}}}"#))?;
    let variables = |name: &str| match name {
        "TOKEN" => Some("hunter2".to_owned()),
        "LONG" => Some("x".repeat(1 << 19)),
        "NESTED" => Some("${TOKEN}".to_owned()),
        "input:key" => Some("asked".to_owned()),
        _ => None,
    };
    config.get("a.b").expect("an entry").resolve(&variables)
}

fn fault(entry: &str) -> String {
    resolved(entry).expect_err("a fault").to_string()
}

fn exposed(all: &[Expanded]) -> Vec<&str> {
    all.iter().map(Expanded::expose).collect()
}

#[test]
fn programs_of_all_hosts_are_read() {
    let files = [
        r#"{"mcpServers": {"s": {"command": "npx", "args": ["-y", "${TOKEN}"], "env": {"A": "b", "N": 7}, "autoApprove": []}}}"#,
        r#"{"inputs": [{"id": "key"}], "servers": {"s": {"type": "stdio", "command": "npx", "args": ["-y", "${env:TOKEN}"], "env": {"A": "b", "N": 7}}}}"#,
        "\u{feff}// Zed\n{\"theme\": \"One\", \"context_servers\": {\"s\": {\"source\": \"custom\", \"command\": {\"path\": \"npx\", /* old */ \"args\": [\"-y\", \"${NO:-hunter2}\",], \"env\": {\"A\": \"b\", \"N\": 7}},},},}",
        r#"{"mcp": {"servers": {"s": {"command": "npx", "args": ["-y", "hunter2"], "env": {"A": "b", "N": 7}}}}}"#,
    ];
    for file in files {
        let config = ServersConfig::parse(file).expect(file);
        let (name, entry) = config.servers().next().expect("a server");
        assert_eq!(name, "s");
        let token = |name: &str| (name == "TOKEN").then(|| "hunter2".to_owned());
        let ResolvedServer::Program {
            command, args, env, ..
        } = entry.resolve(&token).expect(file)
        else {
            panic!("{file}");
        };
        assert_eq!(command.expose(), "npx");
        assert_eq!(exposed(&args), ["-y", "hunter2"], "{file}");
        let env: Vec<_> = env.iter().map(|(n, v)| (n.as_str(), v.expose())).collect();
        assert_eq!(env, [("A", "b"), ("N", "7")]);
    }
    let config = ServersConfig::parse(files[1]).expect("a file");
    assert_eq!(
        config
            .other()
            .get("inputs")
            .and_then(|all| all.pointer("/0/id"))
            .and_then(Value::as_str),
        Some("key")
    );
    let config = ServersConfig::parse(files[0]).expect("a file");
    let entry = config.get("s").expect("an entry");
    assert!(entry.members().contains_key("autoApprove"));
}

#[test]
fn urls_are_read_with_their_transport() {
    let cases = [
        (r#"{"url": "https://x/mcp"}"#, false),
        (
            r#"{"serverUrl": "https://x/mcp", "type": "streamable-http"}"#,
            false,
        ),
        (r#"{"url": "https://x/mcp", "type": "http"}"#, false),
        (r#"{"url": "https://x/mcp", "type": "sse"}"#, true),
    ];
    for (entry, sse) in cases {
        let server = resolved(entry).expect(entry);
        let ResolvedServer::Url {
            url, legacy_sse, ..
        } = server
        else {
            panic!("{entry}");
        };
        assert_eq!(
            (url.expose(), legacy_sse),
            ("https://x/mcp", sse),
            "{entry}"
        );
    }
}

#[test]
fn openapi_documents_are_read_with_their_settings() {
    let entry = r#"{
        "openapi": "rooms.yaml", "url": "https://x/v1", "headers": {"Authorization": "Bearer ${TOKEN}"},
        "include": ["rooms"], "exclude": ["clear*"]
    }"#;
    let server = resolved(entry).expect(entry);
    let ResolvedServer::OpenApi {
        document,
        url,
        headers,
        include,
        exclude,
    } = &server
    else {
        panic!("{entry}");
    };
    assert_eq!(document.expose(), "rooms.yaml");
    assert_eq!(url.as_ref().map(Expanded::expose), Some("https://x/v1"));
    assert_eq!(headers[0].0, "Authorization");
    assert!(headers[0].1.expose().starts_with("Bearer "));
    assert_eq!(
        (include[0].expose(), exclude[0].expose()),
        ("rooms", "clear*")
    );
    assert!(!format!("{server:?}").contains("Bearer"), "{server:?}");

    for (entry, expected) in [
        (r#"{"openapi": 1}"#, "openapi: expected text"),
        (r#"{"openapi": "a", "url": "x"}"#, "url: expected a URL"),
        (
            r#"{"openapi": "a", "include": "x"}"#,
            "include: expected a list",
        ),
        (r#"{"openapi": "a", "command": "x"}"#, "both `command` and"),
    ] {
        let error = resolved(entry).expect_err(entry).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn variables_are_replaced_once() {
    let entry = r#"{"command": "${NESTED}", "args": ["${input:key}", "${NO:-}", "a$b"], "cwd": "/${TOKEN}/"}"#;
    let ResolvedServer::Program {
        command, args, cwd, ..
    } = resolved(entry).expect("a program")
    else {
        panic!("a program");
    };
    assert_eq!(command.expose(), "${TOKEN}");
    assert_eq!(exposed(&args), ["asked", "", "a$b"]);
    assert_eq!(cwd.as_ref().map(Expanded::expose), Some("/hunter2/"));
}

#[test]
fn secrets_are_not_shown() {
    let entries = [
        r#"{"command": "x", "args": ["--token", "hunter2", "--key=hunter2", "--header", "Authorization: Basic hunter2", "--header=X-Api-Key: hunter2", "--token", "-hunter2", "${TOKEN}", "https://u:hunter2@h/p?hunter2"], "env": {"A": "hunter2"}, "cwd": "${TOKEN}"}"#,
        r#"{"url": "https://x/${TOKEN}?key=hunter2", "headers": {"Authorization": "Bearer hunter2"}}"#,
    ];
    for entry in entries {
        let file = format!(r#"{{"mcpServers": {{"s": {entry}}}, "token": "hunter2"}}"#);
        let config = ServersConfig::parse(&file).expect("a file");
        let summary = config.get("s").expect("an entry").summary();
        let server = resolved(entry).expect("a server");
        for shown in [format!("{config:?}"), format!("{server:#?}"), summary] {
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("${TOKEN}"), "{shown}");
        }
    }
}

#[test]
fn faults_name_their_place() {
    let cases = [
        ("7", "mcpServers.a.b: expected an object, found a number"),
        (
            r#"{"command": 7}"#,
            "mcpServers.a.b.command: expected text, found a number",
        ),
        (
            r#"{"command": ""}"#,
            "mcpServers.a.b.command: expected a text that is not empty",
        ),
        (
            r#"{"command": "x", "args": ["a", null]}"#,
            "mcpServers.a.b.args[1]: expected text, found null",
        ),
        (
            r#"{"command": "x", "env": []}"#,
            "mcpServers.a.b.env: expected an object, found a list",
        ),
        (
            r#"{"command": "x", "env": {"A": {}}}"#,
            "mcpServers.a.b.env.A: expected text, found an object",
        ),
        (
            r#"{"command": {"path": "x", "args": [1]}}"#,
            "mcpServers.a.b.command.args[0]: expected text, found a number",
        ),
        (
            r#"{"command": "x", "envFile": ".env"}"#,
            "mcpServers.a.b.envFile: not supported: put the variables of the file into `env`",
        ),
        (
            r#"{"url": "ftp://${TOKEN}"}"#,
            "mcpServers.a.b.url: expected a URL that begins with `https://` or `http://`",
        ),
        (
            r#"{"url": "https://x", "headers": {"A": "${NO}"}}"#,
            "mcpServers.a.b.headers.A: the variable `NO` is not set",
        ),
        (
            r#"{"url": "https://${A:-${TOKEN}}"}"#,
            "mcpServers.a.b.url: invalid variable: expected `${NAME}`, `${NAME:-default}` or `${env:NAME}`",
        ),
        (
            r#"{"url": "https://${"}"#,
            "mcpServers.a.b.url: invalid variable: expected `${NAME}`, `${NAME:-default}` or `${env:NAME}`",
        ),
        (
            r#"{"url": "https://${LONG}${LONG}"}"#,
            "mcpServers.a.b.url: the text is too long with the values of its variables: expected at most 1048576 bytes",
        ),
        (
            r#"{"url": "https://x", "type": "smoke"}"#,
            "mcpServers.a.b.type: expected `stdio`, `http`, `streamable-http` or `sse`",
        ),
        (
            r#"{"url": "https://x", "command": "x"}"#,
            "mcpServers.a.b: the entry has both `command` and `url` or `openapi`: expected one of them, or a `type`",
        ),
        (
            r#"{"url": "https://x", "type": "stdio"}"#,
            "mcpServers.a.b: the member `command` is missing",
        ),
        (
            "{}",
            "mcpServers.a.b: the member `command` or `url` is missing",
        ),
        (
            r#"{"command": "x", "command": "y"}"#,
            "mcpServers.a.b: the member `command` occurs twice",
        ),
    ];
    for (entry, expected) in cases {
        assert_eq!(fault(entry), expected);
    }
}

#[test]
fn malformed_files_are_refused() {
    let fault = |text: &str| ServersConfig::parse(text).expect_err("a fault").to_string();
    let syntax = fault("{\n  \"mcpServers\": {\"a\": }\n}");
    assert!(
        syntax.starts_with("invalid JSON in line 2, column "),
        "{syntax}"
    );
    for text in [
        "",
        "// nothing",
        "{'a': 1}",
        "{a: 1}",
        r#"{"a": 1 "b": 2}"#,
        "[1]",
        "{}",
        r#"{"a": 0x1}"#,
    ] {
        fault(text);
    }
    assert_eq!(
        fault("[]"),
        "expected an object with `mcpServers`, found a list"
    );
    assert_eq!(
        fault(r#"{"mcpServers": []}"#),
        "mcpServers: expected an object, found a list"
    );
    assert_eq!(
        fault(r#"{"servers": {"a": {}, "a": {}}}"#),
        "servers: the member `a` occurs twice"
    );
    let many: String = (0..1001).map(|n| format!(r#""{n}": {{}},"#)).collect();
    assert_eq!(
        fault(&format!(r#"{{"servers": {{{many}}}}}"#)),
        "the file lists 1001 servers: expected at most 1000"
    );
    assert!(fault(&"[".repeat(100_000)).contains("nesting depth"));
    let name = "x".repeat(1000);
    let long = format!(r#"{{"mcpServers": {{"\u001b{name}": 1}}}}"#);
    let long = ServersConfig::parse(&long).expect("a file");
    let (_, entry) = long.servers().next().expect("an entry");
    let fault = entry.resolve(&|_| None).expect_err("a fault");
    assert!(fault.to_string().len() < 400);
}

#[test]
fn servers_of_a_project_are_read() {
    let file = r#"{"projects": {"/home/ada/x": {"mcpServers": {"p": {"url": 1}}}, "/y": {}}}"#;
    let config = ServersConfig::parse(file).expect("a file");
    assert_eq!(config.servers().len(), 0);
    let project = config
        .project("/home/ada/x")
        .expect("valid")
        .expect("a project");
    let fault = project.get("p").expect("an entry").resolve(&|_| None);
    assert_eq!(
        fault.expect_err("a fault").to_string(),
        "projects./home/ada/x.mcpServers.p.url: expected text, found a number"
    );
    assert!(config.project("/y").expect("valid").is_none());
    assert!(config.project("/home/Ada/x").expect("valid").is_none());
}

#[test]
fn project_on_windows_is_found_in_each_spelling() {
    let file = r#"{"projects": {
        "c:\\Users\\ada\\p": {"allowedTools": []},
        "C:/Users/ada/p": {"mcpServers": {"p": {"command": "p"}}},
        "D:/q": {"mcpServers": {"q": {"command": 1}}},
        "d:/q": {"mcpServers": {"p": {"command": "p"}}},
        "//host/share": {"mcpServers": {"q": {"command": "q"}}}
    }}"#;
    let config = ServersConfig::parse(file).expect("a file");
    for (folder, name) in [
        (r"C:\Users\Ada\p", Some("p")),
        ("c:/users/ada/p", Some("p")),
        (r"\\host\share", Some("q")),
        (r"D:\Users\ada\p", None),
        ("d:/q", Some("p")),
    ] {
        let project = config.project(folder).expect("valid");
        let found = project.as_ref().and_then(|it| it.servers().next());
        assert_eq!(found.map(|(name, _)| name), name, "{folder}");
    }
}

#[test]
fn names_of_secrets_are_recognized() {
    for name in [
        "GITHUB_TOKEN",
        "x-api-key",
        "apiKey",
        "--password",
        "Authorization",
        "SECRET",
        "PGPASSWORD",
        "accessKey",
        "DSN",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in [
        "HOST",
        "LOG_LEVEL",
        "KEYBOARD",
        "PATH",
        "--directory",
        "author",
        "X-Tenant",
        "--token-file",
    ] {
        assert!(!is_secret_name(name), "{name}");
    }
    for name in [
        "token",
        "accessToken",
        "API Key",
        "client.secrets",
        "Set-Cookie",
        "AWS_SECRET_ACCESS_KEY",
        "signingKey",
    ] {
        assert!(is_secret_name(name) && is_secret_member(name), "{name}");
    }
    for name in ["nextPageTokens", "key", "tokenizer", "TOKEN_NAME", ""] {
        assert!(!is_secret_member(name), "{name}");
    }
}
