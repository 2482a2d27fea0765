//! Processes of one server, and nginx before them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::http;
use super::stores::{Store, send};
use crate::gateway::{self, Gateway};
use crate::services::nginx;
use crate::{process, workspace};

/// The variables with the keys and with the URL of the store.
const KEYS: &str = "MCP_KEYS";
const STORE: &str = "MCP_STORE";

/// The time within which a process has to be ready.
const START: Duration = Duration::from_secs(30);

/// The processes, their store, and the load balancer.
pub(crate) struct Cluster {
    program: Program,
    folder: PathBuf,
    /// The further options of processes that start from now on.
    pub(crate) options: Vec<String>,
    pub(crate) store: Store,
    processes: Vec<Process>,
    /// The keys of new processes: the one that seals first.
    keys: Vec<String>,
    balancer: Child,
    /// The files of the load balancer.
    place: PathBuf,
    port: u16,
}

struct Process {
    port: u16,
    child: Option<Child>,
}

/// What the processes run.
#[derive(Clone)]
pub(crate) enum Program {
    /// The example `everything`, at this path.
    Everything(PathBuf),
    /// `mcp gateway`, whose provider is at a port.
    Gateway { gateway: Gateway, provider: u16 },
}

impl Program {
    /// Returns the command of a process at a port, for clients that use a URL without a path.
    fn command(&self, port: u16, url: &str, store: &Store) -> Result<Command> {
        let command = match self {
            Self::Everything(program) => {
                let mut command = Command::new(program);
                command.args(["--port", &port.to_string(), "--any-host"]);
                command.args(["--store", &store.url()]);
                command
            }
            Self::Gateway { gateway, provider } => {
                let words = gateway.command(port, url, *provider)?;
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command.args(["--keys-env", KEYS, "--store-env", STORE]);
                command.env(STORE, store.url());
                command.env(gateway::SECRET.0, gateway::SECRET.1);
                command
            }
        };
        Ok(command)
    }

    fn ready_path(&self) -> &'static str {
        match self {
            Self::Everything(_) => "/readyz",
            Self::Gateway { .. } => gateway::READY_PATH,
        }
    }
}

impl Cluster {
    /// Starts everything, and waits until it is ready.
    pub(crate) fn start(
        program: Program,
        store: &str,
        folder: &Path,
        count: usize,
        options: &[&str],
    ) -> Result<Self> {
        fs::create_dir_all(folder)?;
        // Not below the folder of the build, which other users may not be able to reach.
        let data = std::env::temp_dir().join(format!("mcp-{store}-{}", std::process::id()));
        let store = Store::start(store, &data)?;
        let ports = (0..count).map(|_| process::free_port());
        let ports: Vec<u16> = ports.collect::<Result<_>>()?;
        let port = process::free_port()?;
        let place = std::env::temp_dir().join(format!("mcp-nginx-{}-{port}", std::process::id()));
        let mut cluster = Self {
            program,
            folder: folder.to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            store,
            processes: ports
                .iter()
                .map(|&port| Process { port, child: None })
                .collect(),
            keys: vec!["11".repeat(32)],
            balancer: balancer(&place, folder, port, &ports)?,
            place,
            port,
        };
        for at in 0..count {
            cluster.run(at)?;
        }
        Ok(cluster)
    }

    /// Returns the number of processes.
    pub(crate) fn count(&self) -> usize {
        self.processes.len()
    }

    /// Returns the URL of the endpoint at the load balancer.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.base_url())
    }

    /// Returns the URL of the load balancer.
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the URL of one process.
    pub(crate) fn url_of(&self, at: usize) -> String {
        format!("http://127.0.0.1:{}/mcp", self.processes[at].port)
    }

    /// Starts a process, and waits until it is ready.
    pub(crate) fn run(&mut self, at: usize) -> Result<()> {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.join(format!("process-{at}.log")))?;
        let url = self.base_url();
        let process = &mut self.processes[at];
        let child = self
            .program
            .command(process.port, &url, &self.store)?
            .args(&self.options)
            .env(KEYS, self.keys.join(","))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        process.child = Some(child.context("a process")?);
        let ready = self.program.ready_path();
        let ready = format!("http://127.0.0.1:{}{ready}", process.port);
        let started = Instant::now();
        while !http::is_ready(&ready) {
            if started.elapsed() > START {
                bail!(
                    "process {at} is not ready, see {}",
                    workspace::display_path(&self.folder)
                );
            }
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Stops a process, which keeps its connections.
    pub(crate) fn pause(&self, at: usize) {
        if let Some(child) = &self.processes[at].child {
            send("STOP", child.id());
        }
    }

    /// Kills a process.
    pub(crate) fn kill(&mut self, at: usize) -> Result<()> {
        if let Some(mut child) = self.processes[at].child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Ends a process as an orchestrator does, and waits for it.
    pub(crate) fn terminate(&mut self, at: usize) -> Result<()> {
        if let Some(mut child) = self.processes[at].child.take() {
            send("TERM", child.id());
            child.wait()?;
        }
        Ok(())
    }

    /// Adds a key. Processes that start from now on open what it sealed; with `seals` they also
    /// seal with it.
    pub(crate) fn add_key(&mut self, key: &str, seals: bool) {
        self.keys.retain(|known| known != key);
        let at = if seals { 0 } else { self.keys.len() };
        self.keys.insert(at, key.to_owned());
    }

    /// Returns the ids of the processes.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        let children = self.processes.iter().filter_map(|it| it.child.as_ref());
        children.map(Child::id)
    }

    /// Returns the memory of each process in MiB.
    pub(crate) fn memory(&self) -> Vec<u64> {
        let memory = |id: u32| system::memory(&id.to_string()).map_or(0, |bytes| bytes >> 20);
        self.ids().map(memory).collect()
    }
}

/// Starts nginx with the configuration of the documentation at a place, with a log in a folder.
fn balancer(place: &Path, folder: &Path, port: u16, ports: &[u16]) -> Result<Child> {
    fs::create_dir_all(place)?;
    let config = workspace::root().join("docs/deploy/nginx.conf");
    fs::copy(&config, place.join("nginx.conf"))
        .with_context(|| workspace::display_path(&config))?;
    let servers = ports
        .iter()
        .map(|port| format!("server 127.0.0.1:{port} fail_timeout=1s;\n"));
    fs::write(place.join("servers.conf"), servers.collect::<String>())?;
    fs::write(
        place.join("listen.conf"),
        format!("listen 127.0.0.1:{port};\n"),
    )?;
    let log = fs::File::create(folder.join("nginx.log"))?;
    let program = nginx().context("nginx is not installed")?;
    let child = Command::new(program)
        .arg("-p")
        .arg(place)
        .arg("-c")
        .arg(place.join("nginx.conf"))
        .args(["-g", "daemon off;"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    child.context("nginx")
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for at in 0..self.count() {
            let _ = self.kill(at);
        }
        // Its workers end with it only if it is asked.
        send("TERM", self.balancer.id());
        let _ = self.balancer.wait();
        let _ = fs::remove_dir_all(&self.place);
    }
}
