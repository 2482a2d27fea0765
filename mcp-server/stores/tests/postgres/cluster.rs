//! A database server of a test.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use mcp_stores::rustls::pki_types::CertificateDer;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// The password of the user `postgres`, and the same in a URL.
pub(crate) const PASSWORD: [&str; 2] = ["pass:w@rd", "pass%3Aw%40rd"];

/// Runs the server until its standard input is closed, also if the test is killed. Removes its files
/// then, unless there was a line. The key of the certificate must not be readable by others.
const KEEPER: &str = r#"
    "$1/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
        -c fsync=off -c shared_buffers=16MB -c ssl=on -c ssl_cert_file="$2/certificate" \
        -c ssl_key_file="$2/key" >>"$2/log" 2>&1 &
    trap '' HUP INT TERM
    read -r keep
    kill -QUIT $!; kill -CONT $!
    wait
    [ "$keep" ] || rm -rf "$2"
"#;

/// A database server with files and a port of its own.
pub(crate) struct Cluster {
    binaries: PathBuf,
    folder: TempDir,
    port: u16,
    pub(crate) certificate: CertificateDer<'static>,
    keeper: Option<Child>,
}

impl Cluster {
    /// Starts a server. Returns `None` if PostgreSQL is not installed, unless this is a run of CI.
    pub(crate) fn start() -> Option<Self> {
        let Some(binaries) = binaries() else {
            assert!(std::env::var_os("CI").is_none(), "no PostgreSQL");
            println!("skipped: PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("mcp-postgres-").tempdir();
        let folder = folder.expect("a folder");
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD[0]).expect("written");
        let certificate = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
        let certificate = certificate.expect("a certificate");
        let write = |name, text| fs::write(folder.path().join(name), text).expect("written");
        write("certificate", certificate.cert.pem());
        write("key", certificate.signing_key.serialize_pem());
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.path().join("key"), private).expect("set");
        if is_root() {
            checked(
                Command::new("chown")
                    .args(["-R", "postgres"])
                    .arg(folder.path()),
            );
        }
        // Not SCRAM, whose hashes take long without optimizations.
        checked(
            as_user(&binaries.join("initdb"))
                .args(["-U", "postgres", "-A", "md5", "--no-sync", "-E", "UTF8"])
                .arg("--locale=C")
                .arg(format!("--pwfile={}", password.display()))
                .arg(folder.path().join("data")),
        );
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
        let mut cluster = Self {
            binaries,
            folder,
            port: port.expect("a port").port(),
            certificate: certificate.cert.der().clone(),
            keeper: None,
        };
        cluster.run();
        Some(cluster)
    }

    /// Starts the server, and waits until it answers.
    pub(crate) fn run(&mut self) {
        let mut command = as_user(Path::new("sh"));
        command.args(["-c", KEEPER, "keeper"]);
        command.arg(&self.binaries).arg(self.folder.path());
        command.arg(self.port.to_string()).stdin(Stdio::piped());
        self.keeper = Some(command.spawn().expect("started"));
        let started = Instant::now();
        let mut probe = Command::new(self.binaries.join("pg_isready"));
        probe.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        while !probe.status().is_ok_and(|status| status.success()) {
            let log = fs::read_to_string(self.folder.path().join("log"));
            assert!(started.elapsed() < Duration::from_secs(60), "{log:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn url(&self) -> String {
        self.url_with(PASSWORD[1])
    }

    pub(crate) fn url_with(&self, password: &str) -> String {
        format!(
            "postgres://postgres:{password}@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }

    /// Returns a connection that is none of a store.
    pub(crate) async fn client(&self) -> tokio_postgres::Client {
        let connected = tokio_postgres::connect(&self.url(), NoTls).await;
        let (client, connection) = connected.expect("connected");
        tokio::spawn(connection);
        client
    }

    fn postmaster(&self) -> String {
        let text = fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        let text = text.expect("the server runs");
        text.lines().next().expect("an id").to_owned()
    }

    /// Kills the postmaster, and waits until the other processes of the server have noticed.
    pub(crate) fn kill(&mut self) {
        let postmaster = self.postmaster();
        let others = children(&postmaster);
        signal("KILL", [postmaster]);
        let keeper = self.keeper.take();
        let mut keeper = keeper.expect("it runs");
        let mut stdin = keeper.stdin.take().expect("piped");
        stdin.write_all(b"keep\n").expect("written");
        keeper.wait().expect("ended");
        let started = Instant::now();
        while others.iter().any(|id| Path::new("/proc").join(id).exists()) {
            assert!(started.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops all processes of the server until [`resume`](Self::resume).
    pub(crate) fn stop(&self) {
        let postmaster = self.postmaster();
        signal("STOP", [postmaster.clone()]);
        signal("STOP", children(&postmaster));
    }

    pub(crate) fn resume(&self) {
        let postmaster = self.postmaster();
        signal("CONT", children(&postmaster));
        signal("CONT", [postmaster]);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
    }
}

/// Returns the folder of `initdb` and `pg_isready`.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let debian = debian.flatten().map(|version| version.path().join("bin"));
    let mut folders = debian.chain(std::env::split_paths(&path));
    folders.find(|folder| folder.join("pg_isready").exists())
}

fn is_root() -> bool {
    checked(Command::new("id").arg("-u")).stdout == b"0\n"
}

/// Returns a command that does not run as root, which PostgreSQL refuses.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    command.arg(program);
    command
}

fn checked(command: &mut Command) -> Output {
    let output = command.output().expect("started");
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn children(id: &str) -> Vec<String> {
    let output = Command::new("pgrep").args(["-P", id]).output();
    let text = String::from_utf8(output.expect("started").stdout);
    let ids = text.expect("numbers");
    ids.lines().map(str::to_owned).collect()
}

fn signal(name: &str, ids: impl IntoIterator<Item = String>) {
    for id in ids {
        // Some have ended in the meantime.
        let _ = Command::new("kill").args(["-s", name, &id]).output();
    }
}
