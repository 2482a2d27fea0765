//! [`terminated`]: waits for the signals that ask a process to end.

use std::future::Future;
use std::io;

/// Returns a future that resolves when the process is asked to end: by Ctrl+C (SIGINT), or by
/// SIGTERM from an orchestrator; on Windows by Ctrl+C, Ctrl+Break, or the end of the console, after
/// which the system ends the process within some seconds. For
/// [`Server::until`](crate::Server::until) and other functions that take a signal.
///
/// From the call on, these signals do not end the process any more: the program has to. On Unix, this
/// is also so after the future was dropped.
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
        let mut break_key = windows::ctrl_break()?;
        let mut close = windows::ctrl_close()?;
        Ok(async move {
            tokio::select! {
                biased;
                _ = interrupt.recv() => {}
                _ = break_key.recv() => {}
                _ = close.recv() => {}
            }
        })
    }
    #[cfg(not(any(unix, windows)))]
    Ok(std::future::pending())
}
