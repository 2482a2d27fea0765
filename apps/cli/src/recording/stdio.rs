//! Records a server on standard input and output: the bytes pass through this program unchanged.

use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::RecordingError;
use super::format::{Side, Stream};
use super::lines::Lines;
use super::program::{self, ServerProcess, command};
use super::recorder::{Recorder, TEXT};
use crate::args::Options;
use crate::interrupted;

/// How long more output of a server is awaited after the server has exited: processes that it has
/// left can keep the pipes open.
const REST: Duration = Duration::from_secs(2);

/// How long a server may take to exit when it is asked to. Hosts kill what is there after 2 seconds,
/// which would be this program only.
const GRACE: Duration = Duration::from_millis(1500);

const CHUNK: usize = 64 << 10;

/// Starts the program, passes all bytes and signals, and returns its exit code.
///
/// A server that runs on although its input or output is closed, by the host or by itself, is ended
/// when it has sent nothing for the time of `--timeout`.
pub(crate) async fn record(
    program: &[OsString],
    options: &Options,
    recorder: Recorder,
) -> Result<u8, RecordingError> {
    let failed = |source| RecordingError::Start {
        program: program
            .first()
            .map_or_else(String::new, |name| name.to_string_lossy().into()),
        source,
    };
    let mut child = start(program, options).map_err(failed)?;
    let limit = options.max_message;
    let (pipes, state) = watch::channel(None);
    let lines = |from, stream, limit| Lines::new(recorder.clone(), from, stream, limit);
    let (stdin, stdout, stderr) = program::pipes(&mut child);
    if let Some(to) = stdin {
        let lines = lines(Side::Client, None, limit);
        tokio::spawn(pass_input(to, lines, recorder.clone(), pipes.clone()));
    }
    let lines_out = lines(Side::Server, None, limit);
    let (exited, has_exited) = watch::channel(());
    let end = has_exited.clone();
    let out = pass_output(
        stdout,
        tokio::io::stdout(),
        lines_out,
        end,
        Some(pipes.clone()),
    );
    let out = tokio::spawn(out);
    let lines_err = lines(Side::Server, Some(Stream::Stderr), TEXT);
    let err = pass_output(stderr, tokio::io::stderr(), lines_err, has_exited, None);
    let err = tokio::spawn(err);
    let exited_itself = tokio::select! {
        status = wait(&mut child) => status.map_err(failed)?,
        () = silence(state, options.common.timeout) => None,
    };
    let status = match exited_itself {
        Some(status) => status,
        None => end_server(&mut child).await.map_err(failed)?,
    };
    drop(exited);
    // What the server wrote before it exited. The host may take its time to read it.
    let rest = async { (out.await, err.await) };
    tokio::select! {
        _ = rest => {}
        _ = interrupted() => {}
    }
    recorder.remark(&format!("the server exited: {status}"));
    Ok(code(status))
}

fn start(program: &[OsString], options: &Options) -> io::Result<ServerProcess> {
    let mut command = command(program, options)?.ok_or(io::ErrorKind::InvalidInput)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    program::spawn(command)
}

/// When the server sent something last, if its input or its output is closed.
type Pipes = watch::Sender<Option<Instant>>;

fn close(pipes: &Pipes) {
    pipes.send_modify(|last| *last = last.or(Some(Instant::now())));
}

/// Waits until a server with a closed pipe has sent nothing for some time.
async fn silence(mut state: watch::Receiver<Option<Instant>>, time: Duration) {
    loop {
        let last = *state.borrow_and_update();
        let until = async {
            match last {
                Some(last) => sleep_until(last + time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = until => return,
            // The sender lives longer than this future.
            _ = state.changed() => {}
        }
    }
}

/// Passes standard input of this program to the server. Closes the pipe when the input ends. If the
/// server has closed it, the input is read nevertheless, so that the host does not wait.
async fn pass_input(mut to: ChildStdin, mut lines: Lines, recorder: Recorder, pipes: Pipes) {
    let (chunks, mut received) = mpsc::channel::<Vec<u8>>(4);
    // The runtime would wait for a read of its own when this program ends.
    std::thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(count @ 1..) = io::stdin().read(&mut buffer) {
            let chunk = buffer.get(..count).unwrap_or_default().to_vec();
            if chunks.blocking_send(chunk).is_err() {
                return;
            }
        }
    });
    let mut is_open = true;
    while let Some(chunk) = received.recv().await {
        lines.pass(&chunk);
        if is_open && (to.write_all(&chunk).await.is_err() || to.flush().await.is_err()) {
            is_open = false;
            recorder.remark("the server has closed its input");
            close(&pipes);
        }
    }
    close(&pipes);
}

/// Passes an output of the server. If the host closes it, the server gets a closed pipe too.
async fn pass_output(
    from: Option<impl AsyncRead + Unpin>,
    mut to: impl AsyncWrite + Unpin,
    mut lines: Lines,
    exited: watch::Receiver<()>,
    pipes: Option<Pipes>,
) {
    if let Some(from) = from {
        pass_open(from, &mut to, &mut lines, exited, pipes.as_ref()).await;
    }
    if let Some(pipes) = &pipes {
        close(pipes);
    }
}

async fn pass_open(
    mut from: impl AsyncRead + Unpin,
    to: &mut (impl AsyncWrite + Unpin),
    lines: &mut Lines,
    mut exited: watch::Receiver<()>,
    pipes: Option<&Pipes>,
) {
    let mut buffer = vec![0; CHUNK];
    let mut left = REST;
    loop {
        let (start, is_rest) = (Instant::now(), exited.has_changed().is_err());
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            () = async {
                // It changes when the sender is dropped.
                let _ = exited.changed().await;
                sleep(left).await;
            } => return,
        };
        if is_rest {
            left = left.saturating_sub(start.elapsed());
        }
        let Ok(count @ 1..) = read else { return };
        let chunk = buffer.get(..count).unwrap_or_default();
        lines.pass(chunk);
        if let Some(pipes) = pipes {
            pipes.send_if_modified(|last| {
                *last = last.map(|_| Instant::now());
                last.is_some()
            });
        }
        if to.write_all(chunk).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

/// Asks the server to exit, and kills it if it does not.
async fn end_server(child: &mut ServerProcess) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    send(child, rustix::process::Signal::TERM);
    if let Ok(status) = timeout(GRACE, program::wait(child)).await {
        return status;
    }
    child.start_kill()?;
    program::wait(child).await
}

/// Sends a signal. The server may have exited at this moment.
#[cfg(unix)]
fn send(child: &ServerProcess, signal: rustix::process::Signal) {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(id, signal);
    }
}

/// Waits for the end of the server, and sends it the signals that this program receives. Returns
/// `None` when the server has to be ended.
#[cfg(unix)]
async fn wait(child: &mut ServerProcess) -> io::Result<Option<ExitStatus>> {
    use std::io::IsTerminal;

    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};

    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut quit = signal(SignalKind::quit())?;
    let mut first = signal(SignalKind::user_defined1())?;
    let mut second = signal(SignalKind::user_defined2())?;
    loop {
        let signal = tokio::select! {
            status = child.wait() => return status.map(Some),
            _ = term.recv() => return Ok(None),
            _ = interrupt.recv() => Signal::INT,
            _ = hangup.recv() => Signal::HUP,
            _ = quit.recv() => Signal::QUIT,
            _ = first.recv() => Signal::USR1,
            _ = second.recv() => Signal::USR2,
        };
        // A terminal sends the signals of its keys to all processes itself.
        let by_key = matches!(signal, Signal::INT | Signal::QUIT) && io::stdin().is_terminal();
        if !by_key {
            send(child, signal);
        }
    }
}

/// Waits for the end of the server. Returns `None` when the console is closed, and the server has to be ended. A
/// console sends the signals of its keys to all processes itself.
#[cfg(windows)]
async fn wait(child: &mut ServerProcess) -> io::Result<Option<ExitStatus>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};

    let (mut interrupt, mut break_key, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    loop {
        tokio::select! {
            status = program::wait(child) => return status.map(Some),
            _ = close.recv() => return Ok(None),
            _ = interrupt.recv() => {}
            _ = break_key.recv() => {}
        }
    }
}

/// Returns the exit code, after a signal as shells do: 128 and the number of the signal.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
