//! The databases: each is started on a free port, with a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::services::{postgres_folder, redis_server};
use crate::{process, workspace};

/// The time within which a database has to start.
const START: Duration = Duration::from_secs(30);

/// A running database. When this value is dropped, it is killed, and its folder is removed.
pub(crate) struct Store {
    kind: Kind,
    port: u16,
    folder: PathBuf,
    child: Option<Child>,
}

/// The bytes of a database.
#[cfg(feature = "bench")]
#[derive(Clone, Copy)]
pub(crate) struct Volume {
    /// In memory (Redis), or in tables and indexes (PostgreSQL).
    pub(crate) kept: u64,
    /// Written to the log since the database was created: the append-only file, or the write-ahead
    /// log.
    pub(crate) logged: u64,
    /// Received and sent. Only Redis counts them.
    pub(crate) network: Option<u64>,
    /// The processor time in microseconds. Only that of Redis is read.
    pub(crate) micros: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Redis,
    Postgres,
}

impl Store {
    pub(crate) const NAMES: [&str; 2] = ["redis", "postgres"];

    /// Starts an empty database.
    pub(crate) fn start(name: &str, folder: &Path) -> Result<Self> {
        let kind = match name {
            "redis" => Kind::Redis,
            _ => Kind::Postgres,
        };
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let mut store = Self {
            kind,
            port: process::free_port()?,
            folder: folder.to_owned(),
            child: None,
        };
        if kind == Kind::Postgres {
            let mut owner = Command::new("chown");
            // Fails if this is not root: then the database runs as the same user.
            let _ = owner.arg("postgres").arg(folder).status();
            let done = store
                .postgres("initdb")?
                .args([
                    "--auth",
                    "trust",
                    "--username",
                    "postgres",
                    "--encoding",
                    "UTF8",
                    "-D",
                ])
                .arg(folder.join("data"))
                .stdout(Stdio::null())
                .status();
            ensure!(done.context("initdb")?.success(), "initdb failed");
        }
        store.run()?;
        Ok(store)
    }

    /// Returns the URL for servers.
    pub(crate) fn url(&self) -> String {
        let port = self.port;
        match self.kind {
            Kind::Redis => format!("redis://127.0.0.1:{port}"),
            Kind::Postgres => format!("postgres://postgres@127.0.0.1:{port}/postgres"),
        }
    }

    /// Returns the command of a program of PostgreSQL, which refuses to run as root.
    fn postgres(&self, program: &str) -> Result<Command> {
        let path = postgres_folder()
            .context("PostgreSQL is not installed")?
            .join(program);
        let user_id = Command::new("id").arg("-u").output().context("id")?;
        let is_root = user_id.stdout.trim_ascii() == b"0";
        if !is_root {
            return Ok(Command::new(path));
        }
        let mut command = Command::new("setpriv");
        let user = [
            "--reuid",
            "postgres",
            "--regid",
            "postgres",
            "--clear-groups",
            "--",
        ];
        command.args(user).arg(path).current_dir(&self.folder);
        Ok(command)
    }

    /// Starts the database, with what it stored before.
    pub(crate) fn run(&mut self) -> Result<()> {
        let port = self.port.to_string();
        let mut command = match self.kind {
            Kind::Redis => {
                let path = redis_server().context("Redis is not installed")?;
                let mut command = Command::new(path);
                // What was acknowledged survives a restart.
                let durable = [
                    "--appendonly",
                    "yes",
                    "--appendfsync",
                    "always",
                    "--save",
                    "",
                ];
                command.args(["--port", &port, "--dir"]).arg(&self.folder);
                command.args(durable);
                command
            }
            Kind::Postgres => {
                let mut command = self.postgres("postgres")?;
                command.arg("-D").arg(self.folder.join("data"));
                let sockets = format!("unix_socket_directories={}", self.folder.display());
                command.args(["-p", &port, "-c", &sockets, "-c", "max_connections=200"]);
                command
            }
        };
        let log_path = self.folder.join("log");
        let log = fs::File::create(&log_path)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn();
        self.child = Some(child.context("the database")?);
        let started = Instant::now();
        while !self.ask("SELECT 1", "PING") {
            if started.elapsed() > START {
                bail!(
                    "the database does not start: {}",
                    workspace::read(&log_path).unwrap_or_default()
                );
            }
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Runs a command of SQL or Redis, and returns `true` if it succeeds.
    fn ask(&self, sql: &str, redis: &str) -> bool {
        process::succeeds_quietly(&mut self.command(sql, redis))
    }

    /// Returns what the database keeps and has written so far.
    #[cfg(feature = "bench")]
    pub(crate) fn volume(&self) -> Result<Volume> {
        let sql = "SELECT 'kept:' || coalesce(sum(pg_total_relation_size(c.oid)), 0) || chr(10) || \
                   'logged:' || pg_current_wal_insert_lsn() - '0/0'::pg_lsn \
                   FROM pg_class c WHERE c.relnamespace = 'mcp'::regnamespace AND c.relkind IN ('r', 'S')";
        let output = self.command(sql, "INFO everything").output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        // Seconds have six digits after the point, so that they are read as microseconds.
        let value = |name: &str| -> Option<u64> {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
            line?.trim().replace('.', "").parse().ok()
        };
        let volume = match self.kind {
            Kind::Redis => Volume {
                kept: value("used_memory:").context("used_memory")?,
                logged: value("aof_current_size:").context("aof_current_size")?,
                micros: value("used_cpu_user:")
                    .zip(value("used_cpu_sys:"))
                    .map(|(user, system)| user + system),
                network: value("total_net_input_bytes:")
                    .zip(value("total_net_output_bytes:"))
                    .map(|(input, output)| input + output),
            },
            Kind::Postgres => Volume {
                kept: value("kept:").context("the size of the tables")?,
                logged: value("logged:").context("the size of the log")?,
                network: None,
                micros: None,
            },
        };
        Ok(volume)
    }

    /// Returns the process of a command of SQL or Redis.
    fn command(&self, sql: &str, redis: &str) -> Command {
        let port = self.port.to_string();
        match self.kind {
            Kind::Redis => {
                let mut command = Command::new("redis-cli");
                command.args(["-p", &port]).args(redis.split(' '));
                command
            }
            Kind::Postgres => {
                let mut command = Command::new("psql");
                let place = [
                    "-h",
                    "127.0.0.1",
                    "-U",
                    "postgres",
                    "-d",
                    "postgres",
                    "-p",
                    &port,
                ];
                command.args(place).args(["-q", "-A", "-t", "-c", sql]);
                command
            }
        }
    }

    /// Ends the database as an operator does.
    pub(crate) fn stop(&mut self) -> Result<()> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        // The signal with which PostgreSQL closes connections, rather than wait for them.
        let signal = match self.kind {
            Kind::Redis => "TERM",
            Kind::Postgres => "INT",
        };
        send(signal, child.id());
        child.wait()?;
        Ok(())
    }

    /// Stops all processes of the database, or lets them go on.
    pub(crate) fn stall(&self, stalled: bool) {
        let Some(child) = &self.child else {
            return;
        };
        let signal = if stalled { "STOP" } else { "CONT" };
        for process in with_children(child.id()) {
            send(signal, process);
        }
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) -> Result<()> {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE pid <> pg_backend_pid() AND datname IS NOT NULL";
        for kind in ["CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub"] {
            ensure!(
                self.ask(sql, kind),
                "the database did not cut its connections"
            );
        }
        Ok(())
    }
}

/// Sends a signal to a process, which may have ended.
pub(crate) fn send(signal: &str, id: u32) {
    process::signal(signal, &id.to_string());
}

/// Returns a process and its children.
fn with_children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = fs::read_to_string(path).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|id| id.parse().ok());
    std::iter::once(process).chain(children).collect()
}

impl Drop for Store {
    fn drop(&mut self) {
        self.stall(false);
        let _ = self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
