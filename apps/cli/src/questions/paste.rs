//! [`PasteOrLoopback`]: a login whose browser may be on another machine.

use std::future::pending;
use std::io;

use mcp_client_oauth::{
    AuthorizationUrl, Loopback, RedirectReceiver, RedirectRequest, Secret, UserAgent,
    UserAgentFuture,
};
use tokio::sync::oneshot;

use crate::output::print_message;

/// Receives the redirect at a port of this machine, or as a line of standard input.
pub(crate) struct PasteOrLoopback(pub(crate) Loopback);

struct Receiver(Box<dyn RedirectReceiver>);

impl UserAgent for PasteOrLoopback {
    fn prepare<'a>(
        &'a self,
        request: RedirectRequest<'a>,
    ) -> UserAgentFuture<'a, Box<dyn RedirectReceiver>> {
        Box::pin(async move {
            let receiver = Receiver(self.0.prepare(request).await?);
            Ok(Box::new(receiver) as Box<dyn RedirectReceiver>)
        })
    }
}

impl RedirectReceiver for Receiver {
    fn redirect_uri(&self) -> &str {
        self.0.redirect_uri()
    }

    fn receive(self: Box<Self>, url: AuthorizationUrl) -> UserAgentFuture<'static, Secret> {
        print_message(
            "If the browser is on another machine, paste the address to which it is sent after the login.",
        );
        let pasted = pasted(url.clone());
        let received = self.0.receive(url);
        Box::pin(async {
            tokio::select! {
                redirect = received => redirect,
                redirect = pasted => Ok(redirect),
            }
        })
    }
}

/// Returns the redirect of a login when the user has pasted it.
async fn pasted(url: AuthorizationUrl) -> Secret {
    let (sender, redirect) = oneshot::channel();
    // A read cannot be cancelled; the thread ends with the program.
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            let line = line.trim();
            let query = line.split_once('?').map_or(line, |(_, query)| query);
            let query = query.split('#').next().unwrap_or_default();
            if url.is_answered_by(query) {
                // Fails if the browser was faster.
                let _ = sender.send(Secret::new(line));
                return;
            }
            print_message("this is not the address after this login");
        }
    });
    match redirect.await {
        Ok(redirect) => redirect,
        // Standard input has ended. The browser may still come.
        Err(_) => pending().await,
    }
}
