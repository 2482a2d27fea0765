//! A Redis server for tests, with a port and a folder of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A running server. It is killed when it is dropped.
pub(crate) struct RedisServer {
    folder: TempDir,
    port: u16,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts a server with further arguments. Returns `None` if it is not installed, except in
    /// continuous integration.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        if Command::new("redis-server")
            .arg("--version")
            .output()
            .is_err()
        {
            assert!(
                std::env::var_os("CI").is_none(),
                "redis-server is not installed"
            );
            println!("skipped: redis-server is not installed");
            return None;
        }
        let mut server = Self {
            folder: TempDir::new().expect("folder"),
            port: 0,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            process: None,
        };
        for _ in 0..10 {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
            server.port = free.expect("a free port").port();
            if server.begins() {
                return Some(server);
            }
        }
        panic!("redis-server does not start");
    }

    /// Starts the process again, and waits until it answers.
    pub(crate) fn run(&mut self) {
        assert!(self.begins(), "the port is taken");
    }

    /// Starts the process, and waits until it answers. Returns `false` if it ends, because another
    /// program has the port.
    fn begins(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--port"]);
        command.arg(self.port.to_string());
        command.arg("--dir").arg(self.folder.path());
        command.args(&self.arguments).stdout(Stdio::piped());
        let mut process = command.spawn().expect("redis-server starts");
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        self.kill();
        self.process = Some(process);
        let mut lines = lines.map_while(Result::ok);
        lines.any(|line| line.contains("Ready to accept connections"))
    }

    /// Ends the process as a crash does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("killed");
            process.wait().expect("ended");
        }
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("running").id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Runs a command, and returns the reply as it is on the wire.
    pub(crate) fn command(&self, command: &str) -> String {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        let text = format!("{command}\r\nQUIT\r\n");
        socket.write_all(text.as_bytes()).expect("written");
        let mut reply = Vec::new();
        let _ = socket.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Returns the URL with a password.
    pub(crate) fn url_with(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
