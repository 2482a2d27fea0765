//! [`IpNetwork`]: an address or a network in CIDR notation.

use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An IP network such as `10.0.0.0/8` or `fd00::/8`, or a single address.
///
/// IPv4 addresses that are mapped into IPv6 (`::ffff:10.0.0.1`) are equal to the IPv4 address.
///
/// ```
/// use mcp_server::IpNetwork;
///
/// let network: IpNetwork = "10.0.0.0/8".parse()?;
/// assert!(network.contains("10.20.30.40".parse()?));
/// assert!(!network.contains("11.0.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IpNetwork {
    /// The first address of the network.
    address: IpAddr,
    prefix: u8,
}

/// The reasons why a text is not a valid [`IpNetwork`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IpNetworkError {
    /// The part before the slash is not an IP address.
    #[error("invalid IP network `{0}`: expected an address such as `10.0.0.1` or `10.0.0.0/8`")]
    Address(String),
    /// The part after the slash is not a prefix length of the address.
    #[error("invalid IP network `{text}`: expected a prefix length from 0 to {bits}")]
    Prefix {
        /// The whole text.
        text: String,
        /// Bits of the address: 32 or 128.
        bits: u8,
    },
    /// The address has bits outside of the network prefix, which is usually a typo.
    #[error("invalid IP network `{text}`: the first address of this network is `{network}`")]
    HostBits {
        /// The whole text.
        text: String,
        /// The network that contains the address.
        network: IpNetwork,
    },
}

impl From<Infallible> for IpNetworkError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl IpNetwork {
    /// Returns `true` if the address belongs to the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.prefix) == self.address
    }
}

impl From<IpAddr> for IpNetwork {
    fn from(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self {
            address,
            prefix: bits(address),
        }
    }
}

impl FromStr for IpNetwork {
    type Err = IpNetworkError;

    fn from_str(text: &str) -> Result<Self, IpNetworkError> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let Ok(written) = address.parse::<IpAddr>() else {
            return Err(IpNetworkError::Address(text.to_owned()));
        };
        let Some(prefix) = prefix else {
            return Ok(written.into());
        };
        // `u8::from_str` also accepts a sign.
        let digits = prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|_| digits);
        let Some(prefix) = prefix.filter(|prefix| *prefix <= bits(written)) else {
            return Err(IpNetworkError::Prefix {
                text: text.to_owned(),
                bits: bits(written),
            });
        };
        let network = Self {
            address: masked(written, prefix),
            prefix,
        };
        if network.address != written {
            let text = text.to_owned();
            return Err(IpNetworkError::HostBits { text, network });
        }
        Ok(network.canonical())
    }
}

impl IpNetwork {
    /// Converts a network of IPv4-mapped addresses to the IPv4 network.
    fn canonical(self) -> Self {
        match (self.address.to_canonical(), self.prefix.checked_sub(96)) {
            (address @ IpAddr::V4(_), Some(prefix)) if self.address.is_ipv6() => {
                Self { address, prefix }
            }
            _ => self,
        }
    }
}

impl TryFrom<&str> for IpNetwork {
    type Error = IpNetworkError;

    fn try_from(text: &str) -> Result<Self, IpNetworkError> {
        text.parse()
    }
}

impl TryFrom<String> for IpNetwork {
    type Error = IpNetworkError;

    fn try_from(text: String) -> Result<Self, IpNetworkError> {
        text.parse()
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

fn bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Clears all bits of the address after the prefix.
fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    let prefix = u32::from(prefix);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(prefix));
            IpAddr::V4((address.to_bits() & mask.unwrap_or(0)).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(prefix));
            IpAddr::V6((address.to_bits() & mask.unwrap_or(0)).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> IpNetwork {
        text.parse().expect("a network")
    }

    #[test]
    fn networks_contain_exactly_the_addresses_of_their_prefix() {
        let cases = [
            ("10.0.0.0/8", "10.255.255.255", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7/32", "10.0.0.8", false),
            ("0.0.0.0/0", "255.1.2.3", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "10.0.0.1", false),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("2001:db8::1/128", "2001:db8::1", true),
            ("::ffff:10.0.0.0/104", "10.9.9.9", true),
        ];
        for (text, address, contained) in cases {
            let address = address.parse().expect("an address");
            assert_eq!(
                network(text).contains(address),
                contained,
                "{text} {address}"
            );
        }
    }

    #[test]
    fn invalid_networks_are_rejected_with_the_reason() {
        let message = |text: &str| text.parse::<IpNetwork>().expect_err(text).to_string();
        for text in ["", "example.com", "10.0.0/8", "/8", " 10.0.0.1"] {
            assert!(message(text).contains("expected an address"), "{text}");
        }
        for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8"] {
            assert!(message(text).contains("from 0 to 32"), "{text}");
        }
        assert!(message("::/129").contains("from 0 to 128"));
        assert!(message("10.1.0.0/8").contains("`10.0.0.0/8`"));
    }
}
