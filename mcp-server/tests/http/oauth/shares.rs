//! What one caller or one address can take of what the verification of tokens needs.

use super::holder::Holder;
use super::setup::*;
use crate::raw::*;

#[tokio::test]
async fn user_with_many_keys_leaves_room_for_the_proofs_of_others() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    // Room for 301 proofs, of which one user may have 76.
    let address = protect(&server, trusting(&issuer).dpop_rate(1));
    let keys: Vec<Holder> = (0..4).map(|_| Holder::of(&issuer, "greedy")).collect();
    let mut statuses = Vec::new();
    for holder in keys.iter().cycle().take(80) {
        let head = holder.echo(address, &holder.proof(|_| {})).await;
        statuses.push(head.status);
    }
    let (accepted, refused) = statuses.split_at(76);
    assert!(accepted.iter().all(|status| *status == 200), "{accepted:?}");
    assert!(refused.iter().all(|status| *status == 429), "{refused:?}");
    let modest = Holder::of(&issuer, "modest");
    let head = modest.echo(address, &modest.proof(|_| {})).await;
    assert_eq!(head.status, 200);
}
