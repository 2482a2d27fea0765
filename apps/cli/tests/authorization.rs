//! The program `mcp`: its options and commands for authorization.

use tokio::io::AsyncBufReadExt;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use crate::auth_servers::{AuthServers, RecordedRequest, answer, redirect_with, result};

async fn run(folder: &Folder, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .env("MCP_AUTH_DIR", &folder.0)
        .env("TOKEN", "access-token-1")
        .env("SECRET", "client-secret")
        .args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output());
    output.await.expect("no panic").expect("it runs").into()
}

#[tokio::test]
async fn without_a_terminal_nobody_is_asked_to_log_in() {
    let folder = Folder::new("asks");
    let servers = AuthServers::start().await;
    let printed = run(&folder, &["tools", &servers.server()]).await;
    assert_eq!(printed.code, Some(7), "{printed:?}");
    assert!(
        printed
            .err
            .contains("log in first, for example with `mcp login`"),
        "{printed:?}"
    );
    assert_eq!(servers.count("/authorize"), 0);
    let printed = run(&folder, &["auth", "status"]).await;
    assert_eq!(
        (printed.out.as_str(), printed.err.as_str()),
        ("", "there are no tokens\n")
    );
    let printed = run(&folder, &["logout", &servers.server()]).await;
    assert_eq!(printed.code, Some(4), "{printed:?}");
}

#[tokio::test]
async fn token_comes_from_the_environment() {
    let folder = Folder::new("token");
    let servers = AuthServers::start().await;
    servers.token();
    let server = servers.server();
    let printed = run(&folder, &["tools", &server, "--token-env", "TOKEN"]).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let printed = run(&folder, &["tools", &server, "--token-env", "NONE"]).await;
    assert_eq!(printed.code, Some(2), "{printed:?}");
    assert!(printed.err.contains("`NONE`"), "{printed:?}");
    assert_eq!(servers.count("/token"), 0);
}

#[tokio::test]
async fn client_credentials_are_stored_shown_and_forgotten() {
    let folder = Folder::new("client");
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let mut token = servers.token();
        token["scope"] = "read\u{1b}[31m".into();
        (asked.path == "/token").then(|| answer(200, token))
    });
    let server = servers.server();
    let issuer = servers.origin();
    let mut words = vec!["tools", &server, "--client-id", "robot"];
    words.extend(["--client-secret-env", "SECRET", "--client-credentials"]);
    // Without `--issuer`, the server would choose who gets the secret.
    let printed = run(&folder, &words).await;
    assert_eq!(printed.code, Some(2), "{printed:?}");
    assert!(printed.err.contains("--issuer"), "{printed:?}");
    words.extend(["--issuer", "https://elsewhere.example"]);
    let printed = run(&folder, &words).await;
    assert_eq!(printed.code, Some(7), "{printed:?}");
    assert_eq!(servers.count("/token"), 0);
    *words.last_mut().expect("a word") = &issuer;
    for _ in 0..2 {
        let printed = run(&folder, &words).await;
        assert_eq!(printed.code, Some(0), "{printed:?}");
    }
    // The second run used the stored token.
    assert_eq!(servers.count("/token"), 1);
    let printed = run(&folder, &["auth", "status"]).await;
    assert!(
        printed
            .out
            .starts_with(&format!("{server}\n  issuer {}\n", servers.origin()))
    );
    assert!(printed.out.contains("client robot"), "{printed:?}");
    assert!(printed.out.contains("expires in 5"), "{printed:?}");
    let secrets = ["access-token", "refresh-token", "client-secret", "\u{1b}"];
    assert!(
        !secrets.iter().any(|secret| printed.out.contains(secret)),
        "{printed:?}"
    );
    let printed = run(&folder, &["auth", "status", "--json"]).await;
    let all: serde_json::Value = serde_json::from_str(&printed.out).expect("JSON");
    assert_eq!(all[0]["clientId"], "robot");
    // The secret is not stored, so the command needs it to revoke the token.
    let printed = run(&folder, &["logout", &server]).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    for expected in [
        "was not revoked",
        "the secret of the client",
        "--client-secret-env NAME",
        &format!("--issuer {issuer}"),
    ] {
        assert!(printed.err.contains(expected), "{expected}: {printed:?}");
    }
    assert_eq!(servers.count("/revoke"), 0);
    let mut words = vec![
        "tools",
        &server,
        "--client-id",
        "robot",
        "--issuer",
        &issuer,
    ];
    words.extend(["--client-secret-env", "SECRET", "--client-credentials"]);
    let printed = run(&folder, &words).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let mut words = vec!["logout", &server, "--client-id", "robot"];
    words.extend(["--client-secret-env", "SECRET", "--issuer", &issuer]);
    let printed = run(&folder, &words).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(!printed.err.contains("not revoked"), "{printed:?}");
    assert_eq!(servers.count("/revoke"), 1);
    let printed = run(&folder, &["auth", "status"]).await;
    assert_eq!(printed.out, "");
}

/// With the feature, and unless a folder is named, tokens need the keyring of the system. On other systems, this
/// test would use that of the user.
#[cfg(all(feature = "keyring", target_os = "linux"))]
#[tokio::test]
async fn missing_keyring_is_named() {
    let folder = Folder::new("keyring").created();
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| (asked.path == "/token").then(|| answer(200, servers.token())));
    let (server, issuer) = (servers.server(), servers.origin());
    let mut command = mcp();
    command.args([
        "tools",
        &server,
        "--client-id",
        "robot",
        "--issuer",
        &issuer,
    ]);
    command.args(["--client-secret-env", "SECRET", "--client-credentials"]);
    command
        .env("SECRET", "client-secret")
        .env_remove("MCP_AUTH_DIR");
    for name in ["HOME", "XDG_DATA_HOME"] {
        command.env(name, &folder.0);
    }
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/no/such/socket");
    let output = tokio::task::spawn_blocking(move || command.output());
    let printed: Printed = output.await.expect("no panic").expect("it runs").into();
    assert_eq!(printed.code, Some(2), "{printed:?}");
    let said = "no key from the keyring of the system";
    assert!(printed.err.contains(said), "{printed:?}");
}

/// The recorder logs in for a host that does not, and records no token.
#[tokio::test]
async fn recorder_uses_the_login() {
    let folder = Folder::new("record-login");
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| (asked.path == "/token").then(|| answer(200, servers.token())));
    let (server, issuer) = (servers.server(), servers.origin());
    let file = folder.file("session.jsonl");
    let _ = std::fs::create_dir(&folder.0);
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_mcp"));
    command
        .env("MCP_AUTH_DIR", folder.0.join("tokens"))
        .env("SECRET", "client-secret")
        .args(["record", "-o", &file, &server, "--client-id", "robot"])
        .args(["--client-secret-env", "SECRET", "--client-credentials"])
        .args(["--issuer", &issuer]);
    let mut running = command
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let stderr = running.stderr.take().expect("a pipe");
    let mut lines = tokio::io::BufReader::new(stderr).lines();
    let line = lines.next_line().await.expect("read").expect("a line");
    let endpoint = line.strip_prefix("recording at ").expect("an address");
    for _ in 0..2 {
        let printed = run(&folder, &["tools", endpoint, "--no-login"]).await;
        assert_eq!(printed.code, Some(0), "{printed:?}");
    }
    assert_eq!(servers.count("/token"), 1);
    running.kill().await.expect("it ends");
    let recorded = std::fs::read_to_string(&file).expect("a file");
    assert!(recorded.contains("tools/list"), "{recorded}");
    assert!(!recorded.contains("access-token"), "{recorded}");
}

#[tokio::test]
async fn replayed_client_uses_the_stored_token() {
    let folder = Folder::new("replay-login");
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| (asked.path == "/token").then(|| answer(200, servers.token())));
    let (server, issuer) = (servers.server(), servers.origin());
    let mut words = vec![
        "tools",
        &server,
        "--client-id",
        "robot",
        "--issuer",
        &issuer,
    ];
    words.extend(["--client-secret-env", "SECRET", "--client-credentials"]);
    let printed = run(&folder, &words).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let file = folder.file("session.jsonl");
    let recording = concat!(
        r#"{"mcpRecording":1,"program":"x","time":"x","server":{"url":"x"},"secrets":"removed"}"#,
        "\n",
        r#"{"time":"x","ms":1,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}}"#,
        "\n",
        r#"{"time":"x","ms":2,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}}"#,
        "\n",
    );
    std::fs::write(&file, recording).expect("written");
    words[0] = "replay";
    words.splice(1..2, [&*file, &*server, "--client"]);
    let printed = run(&folder, &words).await;
    assert!(printed.err.contains("1 answers compared"), "{printed:?}");
    assert!(!printed.out.contains("there is no answer"), "{printed:?}");
    assert!(!printed.err.contains("log in"), "{printed:?}");
    // The stored token was used.
    assert_eq!(servers.count("/token"), 1);
}

/// A server without metadata.
fn without_metadata(
    asked: &RecordedRequest,
    needs_token: bool,
) -> Option<crate::auth_servers::Answer> {
    match asked.path.as_str() {
        path if path.starts_with("/.well-known/") => Some(answer(404, "")),
        "/mcp" if asked.method != "POST" => Some(answer(405, "")),
        "/mcp" if needs_token && asked.header("x-key").is_none() => Some(answer(401, "")),
        "/mcp" => Some(result(asked)),
        "/authorize" => {
            let state = &asked.query["state"];
            Some(redirect_with(&format!("code=secret-code&state={state}")))
        }
        _ => None,
    }
}

#[tokio::test]
async fn login_says_when_none_is_needed() {
    let folder = Folder::new("open");
    let servers = AuthServers::start().await;
    servers.script(|asked, _| without_metadata(asked, false));
    let printed = run(&folder, &["login", &servers.server()]).await;
    let expected = format!("no login is needed for {}\n", servers.server());
    assert_eq!(
        (printed.code, printed.err.as_str()),
        (Some(0), expected.as_str())
    );
}

#[tokio::test]
async fn rejected_request_without_oauth_is_explained_by_options() {
    let folder = Folder::new("key");
    let servers = AuthServers::start().await;
    servers.script(|asked, _| without_metadata(asked, true));
    let server = servers.server();
    for command in ["tools", "login"] {
        let printed = run(&folder, &[command, &server]).await;
        assert_eq!(printed.code, Some(7), "{printed:?}");
        for option in ["--header", "--token-env", "--legacy-oauth"] {
            assert!(printed.err.contains(option), "{printed:?}");
        }
        assert!(!printed.err.contains("OAuthBuilder"), "{printed:?}");
    }
    let printed = run(&folder, &["tools", &server, "--header", "x-key: secret"]).await;
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let printed = run(&folder, &["tools", &server, "--token-env", "TOKEN"]).await;
    assert_eq!(printed.code, Some(7), "{printed:?}");
    assert!(printed.err.contains("hint: "), "{printed:?}");
    // With the option, the server is its own authorization server.
    let printed = run(&folder, &["tools", &server, "--legacy-oauth"]).await;
    assert!(printed.err.contains("log in first"), "{printed:?}");
}

#[tokio::test]
async fn token_is_not_sent_to_another_machine_over_plain_http() {
    let folder = Folder::new("plain");
    for server in ["http://192.0.2.1/mcp", "http://a.example/mcp"] {
        let printed = run(&folder, &["tools", server, "--token-env", "TOKEN"]).await;
        assert_eq!(printed.code, Some(2), "{printed:?}");
        assert!(printed.err.contains("plain `http`"), "{printed:?}");
    }
}
