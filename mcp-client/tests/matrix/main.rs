//! `mcp-client` with `mcp-server`: every revision, over every transport, with every feature of the
//! revision.

mod features;
mod server;
mod ways;

use std::time::Duration;

use features::{FEATURES, Peer};
use mcp_client::types::Revision;
use ways::Way;

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn every_feature_works_at_every_revision_over_every_transport() {
    let mut cells = 0;
    for way in Way::ALL {
        let revisions = Revision::ALL.iter().copied().map(Some);
        for pinned in revisions.chain([None]) {
            if way == Way::HttpSse && pinned == Some(Revision::LATEST) {
                // This transport does not exist at the newest revision.
                continue;
            }
            let peer = Peer::connect(way, pinned).await;
            let revision = peer.client.revision();
            let newest = match way {
                Way::HttpSse => Revision::V2025_11_25,
                _ => Revision::LATEST,
            };
            assert_eq!(revision, pinned.unwrap_or(newest), "{way:?}");
            for feature in FEATURES {
                if revision < feature.since {
                    continue;
                }
                let place = format!("{way:?}, {revision}: {}", feature.name);
                let checked = tokio::time::timeout(TIMEOUT, (feature.check)(&peer)).await;
                match checked {
                    Ok(Ok(())) => cells += 1,
                    Ok(Err(error)) => panic!("{place}: {error}"),
                    Err(late) => panic!("{place}: {late}"),
                }
            }
            peer.client.close().await;
        }
    }
    println!("{cells} cells");
    assert!(cells > 600, "{cells}");
}
