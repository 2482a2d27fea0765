//! Processes of the example `everything` that share a database, with nginx before them.

pub(crate) mod counts;
pub(crate) mod http;
pub(crate) mod processes;
pub(crate) mod stores;

/// Returns why the programs cannot run on this machine.
pub(crate) fn missing() -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        return Some("the processes are stopped and killed by signals of Linux");
    }
    let programs = [
        (processes::nginx(), "nginx is not installed"),
        (stores::redis_server(), "redis-server is not installed"),
        (stores::postgres_folder(), "PostgreSQL is not installed"),
    ];
    let mut missing = programs.into_iter().filter(|(path, _)| path.is_none());
    missing.next().map(|(_, why)| why)
}
