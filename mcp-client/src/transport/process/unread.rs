//! [`Unread`]: what a process has not read of its input.

#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, OwnedFd};

use tokio::process::ChildStdin;

/// The pipe to the input of a process. It stays open until this is dropped. Only Linux tells the
/// writing end how many bytes are in a pipe.
pub(super) struct Unread {
    #[cfg(target_os = "linux")]
    pipe: Option<OwnedFd>,
}

impl Unread {
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables))]
    pub(super) fn of(input: &ChildStdin) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            pipe: input.as_fd().try_clone_to_owned().ok(),
        }
    }

    /// Returns the number of bytes in the pipe; 0 if it is unknown.
    pub(super) fn bytes(self) -> u64 {
        #[cfg(target_os = "linux")]
        let bytes = self
            .pipe
            .and_then(|pipe| rustix::io::ioctl_fionread(pipe).ok());
        #[cfg(not(target_os = "linux"))]
        let bytes = None;
        bytes.unwrap_or(0)
    }
}
