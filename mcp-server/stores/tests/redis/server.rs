//! A Redis server for tests, with a port and a folder of its own.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A running server. It is killed when it is dropped.
pub(crate) struct RedisServer {
    folder: TempDir,
    pub(crate) port: u16,
    arguments: Vec<String>,
    pub(crate) process: Option<Child>,
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

    /// Starts the process, and waits until it answers. Returns `false` if it ends, because another
    /// program has the port.
    pub(crate) fn begins(&mut self) -> bool {
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

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
