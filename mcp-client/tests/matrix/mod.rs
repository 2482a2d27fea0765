//! `mcp-client` with `mcp-server`: every revision and the draft of the next one, over every
//! transport, with every feature of the revision.

mod features;
mod server;
mod ways;

use std::time::Duration;

use features::{FEATURES, Pair};
use mcp_client::types::Revision;
use ways::Way;

/// Longer than any successful operation.
const TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn every_feature_works_at_every_revision_over_every_transport() {
    let mut cells = 0;
    for &way in Way::ALL {
        let revisions = Revision::WITH_DRAFT.iter().copied().map(Some);
        for pinned in revisions.chain([None]) {
            if way == Way::HttpSse && pinned.is_some_and(Revision::is_modern) {
                // This transport exists at legacy revisions only.
                continue;
            }
            let peer = Pair::connect(way, pinned).await;
            let revision = peer.client.revision();
            // The draft is used only if the client asks for it.
            let newest = match way {
                Way::HttpSse => Revision::V2025_11_25,
                _ => Revision::LATEST,
            };
            assert_eq!(revision, pinned.unwrap_or(newest), "{way:?}");
            for feature in FEATURES {
                if !feature.is_in(revision) {
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
    assert!(cells > 100 * Way::ALL.len(), "{cells}");
}
