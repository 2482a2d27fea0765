//! [`make_room`]: which connection ends when another one is needed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_server::PeerKey;

use super::UpstreamLimits;
use super::connection::{Link, LinkRequest};
use super::shares::share;

/// A peer that has used up its share does not replace connections that are younger. Each may be a
/// program, so this bounds how many of them a peer with many sessions can start in a second: four for
/// each connection of its share.
pub(crate) const REPLACED_AFTER: Duration = Duration::from_millis(250);

/// Makes room for a new connection of a peer. If there are too many connections, or the peer has
/// used up its share, one of them moves from `links` to `removed`. Returns `false` if no connection
/// may be removed.
///
/// If the peer has used up its share, an idle connection of this peer is removed. Otherwise it is an
/// idle one of the peer with the most connections. If none is idle, it is a connection whose calls
/// all wait for answers of users: one of this peer or, below its share, of a peer that has more
/// connections. Of those of one peer, it is the one that has waited longest, because its user has
/// most likely left.
pub(crate) fn make_room(
    links: &mut Vec<Arc<Link>>,
    wanted: &LinkRequest,
    limits: &UpstreamLimits,
    removed: &mut Vec<Arc<Link>>,
) -> bool {
    let (peer, limit) = (&wanted.peer, limits.connections);
    let peers: Vec<PeerKey> = links.iter().map(|link| link.peer()).collect();
    let mut counts: HashMap<&PeerKey, usize> = HashMap::new();
    for peer in &peers {
        *counts.entry(peer).or_default() += 1;
    }
    let count = |of: &PeerKey| counts.get(of).copied().unwrap_or_default();
    let own = count(peer);
    let has_share = own >= share(peer, limit, limits.shares);
    if links.len() < limit && !has_share {
        return true;
    }
    // With the new connection, the peer has one more.
    let size = |of: &PeerKey| count(of) + usize::from(of == peer);
    let known = links.iter().zip(&peers).enumerate();
    let known = known.filter(|(_, (link, _))| !has_share || link.age() >= REPLACED_AFTER);
    let idle = known
        .clone()
        .filter(|(_, (link, of))| link.is_idle() && (!has_share || *of == peer));
    let idle = idle.max_by_key(|(_, (link, of))| {
        let is_owner = link.key.owner == wanted.key.owner;
        (size(of), is_owner, link.idle_time())
    });
    if let Some((at, _)) = idle {
        removed.push(links.swap_remove(at));
        return true;
    }
    let waiting = known.filter(|(_, (link, of))| {
        (*of == peer || !has_share && count(of) > own) && link.only_waits_for_users()
    });
    let waiting = waiting.max_by_key(|(_, (link, of))| (count(of), link.idle_time()));
    let Some((at, _)) = waiting else {
        return false;
    };
    let taken = links.swap_remove(at);
    taken.take();
    removed.push(taken);
    true
}
