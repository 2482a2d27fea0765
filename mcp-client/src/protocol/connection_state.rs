//! [`Life`]: whether a connection can be used, for who wants to use it and who wants it to end.

use tokio::sync::watch;

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Open,
    /// Lost, and on its way to be made again.
    Restarting,
    /// Nobody wants it any more.
    Closing,
    Closed,
}

/// The stages of a connection: open and restarting by turns, then closing, then closed.
#[derive(Debug)]
pub(crate) struct Life {
    stage: watch::Sender<Stage>,
}

impl Life {
    pub(crate) fn new() -> Self {
        let (stage, _) = watch::channel(Stage::Open);
        Self { stage }
    }

    fn enter(&self, next: Stage) {
        self.stage.send_if_modified(|stage| {
            // Who closes has the last word.
            let enters = *stage != next && (*stage < Stage::Closing || next > *stage);
            if enters {
                *stage = next;
            }
            enters
        });
    }

    async fn wait(&self, wanted: impl FnMut(&Stage) -> bool) {
        // The sender is right here, so that this ends with the stage that is waited for.
        let _ = self.stage.subscribe().wait_for(wanted).await;
    }

    /// The server went away, and is expected back: calls that begin wait for it.
    #[cfg(feature = "process")]
    pub(crate) fn restarting(&self) {
        self.enter(Stage::Restarting);
    }

    /// The server is there again.
    #[cfg(feature = "process")]
    pub(crate) fn open(&self) {
        self.enter(Stage::Open);
    }

    /// Asks what moves messages to end in order.
    pub(crate) fn close(&self) {
        self.enter(Stage::Closing);
    }

    /// Says that nothing moves messages any more.
    pub(crate) fn closed(&self) {
        self.enter(Stage::Closed);
    }

    /// Whether the server went away and is expected back.
    pub(crate) fn is_restarting(&self) -> bool {
        *self.stage.borrow() == Stage::Restarting
    }

    /// Waits while a server is expected back.
    pub(crate) async fn ready(&self) {
        if self.is_restarting() {
            self.wait(|stage| *stage != Stage::Restarting).await;
        }
    }

    /// Waits until somebody asks for the end.
    pub(crate) async fn closing(&self) {
        self.wait(|stage| *stage >= Stage::Closing).await;
    }

    /// Waits until the end.
    pub(crate) async fn end(&self) {
        self.wait(|stage| *stage == Stage::Closed).await;
    }
}
