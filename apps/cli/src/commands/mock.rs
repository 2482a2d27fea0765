//! `mcp mock`: a server with which clients, and checks of servers, can be tried.

mod changes;
mod content;
mod faults;
mod observed;
mod observer;
mod traps;
mod web;
mod world;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::args::Mock;
use crate::failure::Failure;
use crate::interrupted;
use crate::output::{Output, print_message};
use crate::recording::http::{bind, serve};
use crate::tls::server_config;

use super::gateway::unserved;
use faults::{FAULTS, Fault};
use observer::Observer;
use web::Web;

/// The time after which another connection is accepted if that has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// A port that the system chooses.
const ANY: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

/// Serves until the client closes standard input, or the program is interrupted.
pub(crate) async fn mock(args: &Mock, output: Output) -> Result<(), Failure> {
    if args.faults {
        for fault in FAULTS {
            let (name, statement) = (fault.name(), fault.rule.statement());
            output.line(&format!("{name}: violates \"{statement}\""))?;
        }
        return Ok(());
    }
    let fault = args.fault.as_deref().map(fault).transpose()?;
    if fault.is_some_and(Fault::needs_urls) && args.tls_cert.is_none() {
        let message = "this fault is one of URLs, which need `--tls-cert`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(TlsAcceptor::from(server_config(certificate, key)?)),
        _ => None,
    };
    let observer = Arc::new(Observer::new(args.report.as_deref())?);
    let listener = match (args.listen, &tls) {
        (Some(listen), _) => Some(bind(listen).await?),
        (None, Some(_)) => Some(bind(SocketAddr::from(ANY)).await?),
        (None, None) => None,
    };
    let port = listener.as_ref().map(|(_, address)| address.port());
    let trap = bind(SocketAddr::from(ANY)).await?;
    let place = content::Place {
        https: port.filter(|_| tls.is_some()),
        http: trap.1.port(),
    };
    let server = world::server(args, place, fault, Arc::clone(&observer))?;
    let web = Arc::new(Web::new(&server, place, fault, Arc::clone(&observer)));
    if let (Some(listen), Some(port)) = (args.listen, port) {
        let (scheme, host) = match &tls {
            Some(_) => ("https", "localhost".to_owned()),
            None => ("http", listen.ip().to_string()),
        };
        print_message(&format!("{scheme}://{host}:{port}/mcp"));
    }
    if args.listen.is_none() {
        let without = if args.proposals {
            ""
        } else {
            ", without the proposals"
        };
        print_message(&format!("serving at standard input and output{without}"));
    }
    let pages = async {
        match listener {
            Some((listener, _)) => {
                serve(listener, tls, move |request| {
                    let web = Arc::clone(&web);
                    async move { Ok(web.answer(request).await) }
                })
                .await
            }
            None => std::future::pending().await,
        }
    };
    let stdio = async {
        match args.listen {
            Some(_) => std::future::pending().await,
            None => server.serve_stdio().await.map_err(unserved),
        }
    };
    tokio::select! {
        done = pages => done,
        done = stdio => done,
        () = unencrypted(trap.0, &observer) => Ok(()),
        _ = interrupted() => Ok(()),
    }
}

fn fault(name: &str) -> Result<&'static Fault, Failure> {
    let found = FAULTS.iter().find(|fault| fault.name() == name);
    found.ok_or_else(|| Failure::Usage(format!("no fault `{name}`: see `mcp mock --faults`")))
}

/// Notes each connection to the port of URLs that are not `https`.
async fn unencrypted(listener: TcpListener, observer: &Observer) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Such as too many open files. It may be over later.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        observer.violation(
            observed::Statement::Unencrypted,
            "a connection to a URL of `http`",
        );
        drop(stream);
    }
}
