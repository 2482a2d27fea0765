//! Finds the databases and the load balancer with which several processes of a server run.

use std::fs;
use std::path::PathBuf;

/// Returns why they cannot run on this machine, if they cannot.
#[must_use]
pub fn missing() -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        return Some("the processes are stopped and killed by signals of Linux");
    }
    let programs = [
        (nginx(), "nginx is not installed"),
        (redis_server(), "redis-server is not installed"),
        (postgres_folder(), "PostgreSQL is not installed"),
    ];
    let mut missing = programs.into_iter().filter(|(path, _)| path.is_none());
    missing.next().map(|(_, why)| why)
}

/// Returns the program of nginx.
#[must_use]
pub fn nginx() -> Option<PathBuf> {
    first(&["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"])
}

/// Returns the program of Redis.
#[must_use]
pub fn redis_server() -> Option<PathBuf> {
    first(&["/usr/bin/redis-server", "/usr/local/bin/redis-server"])
}

/// Returns the folder of PostgreSQL's programs, of the newest version.
#[must_use]
pub fn postgres_folder() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
}

fn first(paths: &[&str]) -> Option<PathBuf> {
    paths.iter().map(PathBuf::from).find(|path| path.exists())
}
