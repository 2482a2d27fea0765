//! Which addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses to which connections are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the public internet.
    Public,
    /// Also those of private networks.
    Network,
    /// Also those of this machine.
    Loopback,
    /// All addresses.
    All,
}

impl Reach {
    pub(super) fn allows(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        match self {
            Self::All => true,
            _ if is_public(address) => true,
            Self::Public => false,
            Self::Network => is_private_network(address),
            Self::Loopback => is_private_network(address) || address.is_loopback(),
        }
    }

    /// Returns what a server at this address may refer to.
    pub(super) fn around(server: IpAddr) -> Self {
        let server = server.to_canonical();
        if is_public(server) {
            Self::Public
        } else if server.is_loopback() {
            Self::Loopback
        } else {
            Self::Network
        }
    }
}

/// Returns `true` for addresses that organisations assign in their networks. Link-local addresses
/// are not among them: cloud providers have services there that hand out credentials.
fn is_private_network(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, ..] = address.octets();
            address.is_private() || (a, b & 0xc0) == (100, 64)
        }
        IpAddr::V6(address) => address.is_unique_local(),
    }
}

/// Returns `true` if an address is on the public internet: not a loopback, private, link-local,
/// carrier-grade NAT, multicast, documentation or reserved address. An IPv6 address that contains
/// an IPv4 address is judged by the latter.
///
/// The IANA registries of special-purpose addresses list the exceptions (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

fn v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let [a, b, c, .., low, lowest] = parts;
    let contained = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // IPv4-mapped, and NAT64 with the well-known prefix.
        (0, 0) if parts.starts_with(&[0, 0, 0, 0, 0, 0xffff]) => contained(low, lowest),
        (0x64, 0xff9b) if parts.starts_with(&[a, b, 0, 0, 0, 0]) => contained(low, lowest),
        // 6to4.
        (0x2002, high) => contained(high, c),
        // Protocol assignments such as Teredo; documentation.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => false,
        // Global unicast addresses begin with these three bits.
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::ffff:169.254.169.254",
            "64:ff9b::127.0.0.1",
            "64:ff9b::192.168.0.1",
            "64:ff9b:1::808:808",
            "64:ff9b::1:808:808",
            "100::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::",
            "2002:c0a8:101::1",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456:789a::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            let address: IpAddr = text.parse().expect("an address");
            assert!(!is_public(address), "{text}");
        }
    }

    #[test]
    fn private_addresses_are_reached_only_from_there() {
        for (reach, allowed, refused) in [
            (
                Reach::Public,
                &["8.8.8.8"][..],
                &["10.0.0.1", "127.0.0.1", "fd00::1"][..],
            ),
            (
                Reach::Network,
                &[
                    "8.8.8.8",
                    "10.0.0.1",
                    "100.64.0.1",
                    "fd00::1",
                    "::ffff:192.168.0.1",
                ],
                &["127.0.0.1", "::1", "169.254.169.254", "fe80::1", "0.0.0.0"],
            ),
            (
                Reach::Loopback,
                &[
                    "8.8.8.8",
                    "172.16.0.1",
                    "127.0.0.1",
                    "::1",
                    "::ffff:127.0.0.1",
                ],
                &[
                    "169.254.169.254",
                    "::ffff:169.254.169.254",
                    "fe80::1",
                    "0.0.0.0",
                ],
            ),
            (Reach::All, &["169.254.169.254"], &[]),
        ] {
            let allows = |text: &&str| reach.allows(text.parse().expect("an address"));
            assert!(allowed.iter().all(allows), "{reach:?}");
            assert!(!refused.iter().any(allows), "{reach:?}");
        }
    }

    #[test]
    fn reach_follows_from_the_address_of_the_server() {
        for (server, expected) in [
            ("8.8.8.8", Reach::Public),
            ("127.0.0.1", Reach::Loopback),
            ("::1", Reach::Loopback),
            ("::ffff:127.0.0.1", Reach::Loopback),
            ("10.0.0.1", Reach::Network),
            ("::ffff:10.0.0.1", Reach::Network),
        ] {
            let address = server.parse().expect("an address");
            assert_eq!(Reach::around(address), expected, "{server}");
        }
    }

    #[test]
    fn ordinary_addresses_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2002:808:808::1",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "3fff:1000::1",
        ] {
            let address: IpAddr = text.parse().expect("an address");
            assert!(is_public(address), "{text}");
        }
    }
}
