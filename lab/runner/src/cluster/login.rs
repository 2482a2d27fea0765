//! Users log in at two gateways, which are killed and started again before each page of a login: what a step
//! knows of the one before comes from the store and from what the gateways gave to browser and client.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::processes::{Cluster, Program};
use crate::gateway::Gateway;
use crate::{process, workspace};

/// The time between two looks for a request of the browser.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs the clients of `xtask interop login` on a store. Returns what failed.
pub(super) fn run(store: &str) -> Result<Vec<String>> {
    println!("\n== users log in at two gateways behind nginx, on {store}");
    let folder = workspace::target()?.join("cluster/login").join(store);
    let gateway = Gateway::build(&folder)?;
    let provider = process::free_port()?;
    let program = Program::Gateway { gateway, provider };
    let mut cluster = Cluster::start(program, store, &folder, 2, &[])?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let between = format!("http://{}/", listener.local_addr()?);
    let (url, provider) = (cluster.base_url(), provider.to_string());
    let options = [
        "--gateway",
        &url,
        "--provider",
        &provider,
        "--between",
        &between,
    ];
    let line = [&["interop", "login"], &options[..]].concat();
    thread::scope(|scope| {
        let clients = scope.spawn(|| workspace::xtask(&line));
        let mut pages = 0;
        while !clients.is_finished() {
            if let Ok((browser, _)) = listener.accept() {
                for at in 0..cluster.count() {
                    cluster.kill(at)?;
                    cluster.run(at)?;
                }
                pages += 1;
                answer(browser)?;
            }
            sleep(PAUSE);
        }
        println!("{pages} pages, before each of which all gateways were killed");
        let succeeded = clients
            .join()
            .map_err(|_| anyhow!("the clients panicked"))??;
        let failed = !succeeded || pages == 0;
        Ok(failed.then(|| "logins".to_owned()).into_iter().collect())
    })
}

/// Reads the request of the browser, and lets it go on.
fn answer(mut browser: TcpStream) -> Result<()> {
    browser.set_nonblocking(false)?;
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && browser.read(&mut byte)? == 1 {
        head.extend(byte);
    }
    browser.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")?;
    Ok(())
}
