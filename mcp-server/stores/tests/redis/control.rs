//! What the tests of the store do with their server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use super::server::RedisServer;

impl RedisServer {
    /// Starts the process again, and waits until it answers.
    pub(crate) fn run(&mut self) {
        assert!(self.begins(), "the port is taken");
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

    /// Returns the URL with a password.
    pub(crate) fn url_with(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }
}
