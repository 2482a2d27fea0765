//! [`terminated`]: waits for the signals that ask a process to end.

use std::future::Future;
use std::io;

/// Returns a future that resolves when the process is asked to end: by Ctrl+C (SIGINT), or by
/// SIGTERM from an orchestrator; on Windows by Ctrl+C, Ctrl+Break, the end of the console, or the
/// shutdown of the system, after which the process has five seconds. For
/// [`Server::until`](crate::Server::until) and other functions that take a signal.
///
/// From the call on, these signals do not end the process any more, also after the future was
/// dropped: the program has to.
///
/// ```no_run
/// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
/// let serving = server.serve_http("127.0.0.1:3000")?;
/// server.until(mcp_server::terminated()?, serving).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The error of the system if the signals cannot be received.
///
/// # Panics
///
/// Outside of a tokio runtime with IO enabled.
pub fn terminated() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        Ok(async move {
            tokio::select! {
                biased;
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(windows)]
    {
        use tokio::signal::windows;

        let mut interrupt = windows::ctrl_c()?;
        let mut stop = windows::ctrl_break()?;
        let mut close = windows::ctrl_close()?;
        let mut shutdown = windows::ctrl_shutdown()?;
        Ok(async move {
            tokio::select! {
                biased;
                _ = interrupt.recv() => {}
                _ = stop.recv() => {}
                _ = close.recv() => {}
                _ = shutdown.recv() => {}
            }
        })
    }
    #[cfg(not(any(unix, windows)))]
    Ok(std::future::pending())
}
