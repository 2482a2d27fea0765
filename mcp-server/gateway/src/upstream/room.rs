//! [`make_room`]: which connection ends when another one is needed.

use std::sync::Arc;

use mcp_server::PeerKey;

use super::UpstreamLimits;
use super::connection::{Link, Wanted};
use super::shares::share;

/// Moves a connection from `links` to `removed` if another one is wanted and there are too many, or
/// the peer has its share. Returns `false` if there is none that may be removed.
///
/// A peer that has its share gives up one of its own that is idle. Otherwise the peer with the most
/// connections does. If none is idle, it is one that only waits for answers of users, of a peer that
/// has more of them than the new one.
pub(crate) fn make_room(
    links: &mut Vec<Arc<Link>>,
    wanted: &Wanted,
    limits: &UpstreamLimits,
    removed: &mut Vec<Arc<Link>>,
) -> bool {
    let (peer, limit) = (&wanted.peer, limits.connections);
    let peers: Vec<PeerKey> = links.iter().map(|link| link.peer()).collect();
    let count = |of: &PeerKey| peers.iter().filter(|peer| *peer == of).count();
    let own = count(peer);
    let has_share = own >= share(peer, limit, limits.shares);
    if links.len() < limit && !has_share {
        return true;
    }
    // With the new connection, the peer has one more.
    let size = |of: &PeerKey| count(of) + usize::from(of == peer);
    let known = links.iter().zip(&peers).enumerate();
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
        !has_share && *of != peer && count(of) > own && link.only_waits_for_users()
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
