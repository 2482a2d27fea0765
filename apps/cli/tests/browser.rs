//! The program `mcp` sends the user to a browser.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::auth_servers::*;
use crate::support::pseudo_terminal;

/// A desktop, on which a fake browser notes what it is asked to open.
struct Desktop {
    folder: PathBuf,
    has_display: bool,
}

impl Desktop {
    fn new(name: &str, has_display: bool) -> Self {
        let name = format!("mcp-desktop-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("created");
        let program = folder.join("xdg-open");
        let script =
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.part\"\nmv \"$0.part\" \"$0.opened\"\n";
        fs::write(&program, script).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        Self {
            folder,
            has_display,
        }
    }

    fn mcp(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
        let path = format!("{}:/usr/bin:/bin", self.folder.display());
        command
            .args(arguments)
            .env("MCP_AUTH_DIR", self.folder.join("tokens"))
            .env("PATH", path)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DISPLAY");
        if self.has_display {
            command.env("DISPLAY", ":0");
        }
        command
    }

    /// Returns the arguments of the browser, if it was started.
    fn opened(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.folder.join("xdg-open.opened")).ok()?;
        Some(text.lines().map(str::to_owned).collect())
    }

    async fn waits_for_browser(&self) -> Vec<String> {
        for _ in 0..1_000 {
            if let Some(opened) = self.opened() {
                return opened;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("no browser was started");
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A running program, and what it has printed for the user.
struct Running {
    child: Child,
    output: Box<dyn Read + Send>,
    /// The keyboard, if the program runs at a terminal.
    keyboard: Option<fs::File>,
    printed: String,
}

impl Running {
    /// Starts a program whose messages go to a pipe.
    fn at_pipe(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let output = child.stderr.take().expect("a pipe");
        Self {
            child,
            output: Box::new(output),
            keyboard: None,
            printed: String::new(),
        }
    }

    /// Starts a program at a terminal.
    fn at_terminal(mut command: Command) -> Self {
        let (terminal, child) = pseudo_terminal::start(&mut command);
        Self {
            child,
            keyboard: terminal.try_clone().ok(),
            output: Box::new(terminal),
            printed: String::new(),
        }
    }

    /// Types a line.
    fn types(&mut self, line: &str) {
        let keyboard = self.keyboard.as_mut().expect("a terminal");
        keyboard.write_all(line.as_bytes()).expect("typed");
    }

    /// Reads until the output has a line or a question with a text, or ends.
    async fn read_until(mut self, wanted: &'static str) -> Self {
        let reading = tokio::task::spawn_blocking(move || {
            let mut bytes = [0; 4096];
            while !(self.printed.contains(wanted) && self.printed.ends_with(['\n', ' '])) {
                // The end of a terminal is reported as an error.
                let Ok(count @ 1..) = self.output.read(&mut bytes) else {
                    break;
                };
                self.printed += &String::from_utf8_lossy(&bytes[..count]);
            }
            self
        });
        reading.await.expect("no panic")
    }

    /// Reads the address that the user should open.
    async fn reads_address(self) -> (Self, String) {
        let running = self.read_until("&resource=").await;
        let lines: Vec<&str> = running.printed.lines().collect();
        let [.., before, address] = lines.as_slice() else {
            panic!("{}", running.printed);
        };
        assert_eq!(*before, "To log in, open this address in a browser:");
        let address = address.trim_start().to_owned();
        (running, address)
    }

    /// Reads the output to its end. Returns it and the exit code.
    async fn ends(self) -> (String, Option<i32>) {
        let mut running = self.read_until("\0").await;
        let status = running.child.wait().expect("it ends");
        (running.printed, status.code())
    }
}

/// Sends the user back to the program, as the authorization server would.
async fn redirect(servers: &AuthServers, address: &str) {
    let query = address.split_once('?').expect("a query").1;
    let pairs: std::collections::HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
    let issuer = encode(&servers.origin());
    let target = format!("CALLBACK?code=c&state={}&iss={issuer}", pairs["state"]);
    let page = browse(&pairs["redirect_uri"], "GET", &target).await;
    assert!(page.contains("You may close this page."), "{page}");
}

#[tokio::test]
async fn login_opens_the_printed_address_without_a_shell() {
    let desktop = Desktop::new("login", true);
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let mut metadata = servers.server_metadata();
        let endpoint = format!("{}/authorize?a=$(id);'b'&c=*", servers.origin());
        metadata["authorization_endpoint"] = json!(endpoint);
        (asked.path == "/.well-known/oauth-authorization-server").then(|| answer(200, metadata))
    });
    let running = Running::at_pipe(desktop.mcp(&["login", &servers.server()]));
    let (running, address) = running.reads_address().await;
    assert!(address.contains("/authorize?a=$(id);'b'&c=*&"), "{address}");
    assert_eq!(desktop.waits_for_browser().await, [address.as_str()]);
    redirect(&servers, &address).await;
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");
    let expected = format!("logged in to {}\n", servers.server());
    assert!(printed.ends_with(&expected), "{printed}");
    // The token is in the store.
    let (printed, code) = Running::at_pipe(desktop.mcp(&["tools", &servers.server()]))
        .ends()
        .await;
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(
        (servers.count("/token"), servers.count("/authorize")),
        (1, 0)
    );
}

#[tokio::test]
async fn address_is_only_printed_if_there_is_no_desktop_or_no_browser_is_wanted() {
    for (name, has_display, option) in [
        ("text", false, None),
        ("unwanted", true, Some("--no-browser")),
    ] {
        let desktop = Desktop::new(name, has_display);
        let servers = AuthServers::start().await;
        let server = servers.server();
        let mut arguments = vec!["login", &server];
        arguments.extend(option);
        let running = Running::at_pipe(desktop.mcp(&arguments));
        let (running, address) = running.reads_address().await;
        redirect(&servers, &address).await;
        let (printed, code) = running.ends().await;
        assert_eq!(code, Some(0), "{printed}");
        assert_eq!(desktop.opened(), None, "{name}");
    }
}

#[tokio::test]
async fn commands_log_in_by_themselves_at_a_terminal_unless_that_is_unwanted() {
    let desktop = Desktop::new("terminal", true);
    let servers = AuthServers::start().await;
    let server = servers.server();
    let command = desktop.mcp(&["tools", &server, "--no-login"]);
    let (printed, code) = Running::at_terminal(command).ends().await;
    assert_eq!(code, Some(7), "{printed}");
    assert!(printed.contains("mcp login"), "{printed}");
    assert_eq!((servers.count("/register"), desktop.opened()), (0, None));

    let running = Running::at_terminal(desktop.mcp(&["tools", &server]));
    let (running, address) = running.reads_address().await;
    assert_eq!(desktop.waits_for_browser().await, [address.as_str()]);
    redirect(&servers, &address).await;
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");
}

#[tokio::test]
async fn address_that_no_browser_may_open_is_not_opened() {
    for endpoint in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://192.0.2.1/authorize",
    ] {
        let desktop = Desktop::new("unsafe", true);
        let servers = AuthServers::start().await;
        servers.script(move |asked, servers| {
            let mut metadata = servers.server_metadata();
            metadata["authorization_endpoint"] = json!(endpoint);
            (asked.path == "/.well-known/oauth-authorization-server").then(|| answer(200, metadata))
        });
        let running = Running::at_pipe(desktop.mcp(&["login", &servers.server()]));
        let (printed, code) = running.ends().await;
        assert_ne!(code, Some(0));
        assert!(printed.contains("`authorization_endpoint`"), "{printed}");
        assert_eq!(desktop.opened(), None, "{endpoint}");
    }
}

/// Makes the server demand the scope `write` for the list of tools.
fn demands_write(servers: &AuthServers) {
    servers.script(|asked, servers| {
        let is_first = servers.count("/token") < 2;
        (is_first && asked.body.contains("tools/list")).then(|| {
            let error = "insufficient_scope";
            servers.challenge(403, &format!(", error=\"{error}\", scope=\"write\""))
        })
    });
}

#[tokio::test]
async fn user_is_asked_before_a_login_for_further_scopes() {
    let desktop = Desktop::new("step-up", false);
    let servers = AuthServers::start().await;
    let server = servers.server();
    let running = Running::at_pipe(desktop.mcp(&["login", &server]));
    let (running, address) = running.reads_address().await;
    assert!(!address.contains("&scope="), "{address}");
    redirect(&servers, &address).await;
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");

    demands_write(&servers);
    // Standard input is not a terminal, so no user can answer.
    let (printed, code) = Running::at_pipe(desktop.mcp(&["tools", &server]))
        .ends()
        .await;
    assert_eq!(code, Some(7), "{printed}");
    assert!(printed.contains("the scopes `write`") && printed.contains("`mcp login --scope`"));
    assert!(!printed.contains("log in first"), "{printed}");
    let question = "demands the scopes `write`";
    let running = Running::at_terminal(desktop.mcp(&["tools", &server]));
    let mut running = running.read_until(question).await;
    running.types("n\n");
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(7), "{printed}");
    assert!(printed.contains(question) && !printed.contains("open this address"));
    let running = Running::at_terminal(desktop.mcp(&["tools", &server]));
    let mut running = running.read_until(question).await;
    running.types("y\n");
    let (running, address) = running.reads_address().await;
    assert!(address.ends_with("&scope=write"), "{address}");
    redirect(&servers, &address).await;
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");
}

#[tokio::test]
async fn login_requests_further_scopes() {
    let desktop = Desktop::new("scopes", false);
    let servers = AuthServers::start().await;
    let server = servers.server();
    let arguments = ["login", &server, "--scope", "read write", "--scope", "x"];
    let running = Running::at_pipe(desktop.mcp(&arguments));
    let (running, address) = running.reads_address().await;
    assert!(address.ends_with("&scope=read+write+x"), "{address}");
    redirect(&servers, &address).await;
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");
}

#[tokio::test]
async fn address_of_the_redirect_can_be_pasted() {
    let desktop = Desktop::new("paste", false);
    let servers = AuthServers::start().await;
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        free.local_addr().expect("an address").port().to_string()
    };
    let mut command = desktop.mcp(&["login", &servers.server(), "--login-port", &port]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let output = child.stderr.take().expect("a pipe");
    let running = Running {
        child,
        output: Box::new(output),
        keyboard: None,
        printed: String::new(),
    };
    let (running, address) = running.reads_address().await;
    let query = address.split_once('?').expect("a query").1;
    let pairs: std::collections::HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
    let redirect_uri = &pairs["redirect_uri"];
    assert!(
        redirect_uri.starts_with(&format!("http://127.0.0.1:{port}/")),
        "{redirect_uri}"
    );
    let issuer = encode(&servers.origin());
    let pasted = format!(
        "{redirect_uri}?code=c&state={}&iss={issuer}",
        pairs["state"]
    );
    // A line that is not the address is not the end.
    writeln!(input, "{redirect_uri}?code=evil&state=evil\n{pasted}").expect("written");
    let (printed, code) = running.ends().await;
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains("not the address after this login"),
        "{printed}"
    );
    assert!(
        printed.ends_with(&format!("logged in to {}\n", servers.server())),
        "{printed}"
    );
}
