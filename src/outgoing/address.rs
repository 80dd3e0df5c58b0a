//! Which addresses are everybody's. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks that are not everybody's: the registry of special addresses (RFC 6890 and what came
/// after it), but for what is globally reachable, and multicast.
const SPECIAL_V4: [(Ipv4Addr, u8); 16] = [
    // "This network", also a name of the machine itself.
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Between a provider and its customers.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local; where clouds keep their metadata.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, reserved, and broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// Within `2000::/3`, the only part of IPv6 that is given out.
const SPECIAL_V6: [(Ipv6Addr, u8); 5] = [
    // Teredo, benchmarks, ORCHID and more.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4 carries any address of IPv4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address belongs to everybody: not to the machine itself, to its network, or to a
/// purpose of its own. An address of IPv4 in the dress of IPv6, mapped or translated (NAT64), is not.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !SPECIAL_V4.iter().any(|&(network, length)| {
            let mask = u32::MAX << (32 - length);
            (ip.to_bits() ^ network.to_bits()) & mask == 0
        }),
        IpAddr::V6(ip) => {
            let is_given_out = ip.segments()[0] >> 13 == 1;
            is_given_out
                && !SPECIAL_V6.iter().any(|&(network, length)| {
                    let mask = u128::MAX << (128 - length);
                    (ip.to_bits() ^ network.to_bits()) & mask == 0
                })
        }
    }
}
