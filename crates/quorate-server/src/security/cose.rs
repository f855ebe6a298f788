//! Public keys as authenticators write them (RFC 9052 and 9053: COSE), as far as passkeys need them.

use std::collections::BTreeMap;

/// What a label stands for: what sort of key it is, its algorithm, its curve, and the numbers that make it up.
const SORT: i64 = 1;
const ALGORITHM: i64 = 3;
const CURVE: i64 = -1;
const FIRST: i64 = -2;
const SECOND: i64 = -3;

/// Of a key of RSA its numbers stand one place further up, for it has no curve.
const MODULUS: i64 = -1;
const EXPONENT: i64 = -2;

/// A value of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CoseValue<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CoseKey {
    /// A point on P-256, as signatures are checked with it.
    P256(Vec<u8>),
    /// A point on edwards25519.
    Ed25519(Vec<u8>),
    /// The modulus and the exponent of RSA, without zeros before them.
    Rsa(Vec<u8>, Vec<u8>),
}

impl CoseKey {
    /// The key that stands at the beginning of some bytes; none where that is no key of a kind that is known.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let labels = labels(bytes)?;
        let number = |label| match labels.get(&label)? {
            CoseValue::Number(number) => Some(*number),
            CoseValue::Bytes(_) => None,
        };
        let part = |label| match labels.get(&label)? {
            CoseValue::Bytes(bytes) => Some(*bytes),
            CoseValue::Number(_) => None,
        };
        match (number(SORT)?, number(ALGORITHM)?) {
            (2, -7) if number(CURVE)? == 1 => {
                let point = [&[0x04], part(FIRST)?, part(SECOND)?].concat();
                Some(Self::P256(point))
            }
            (1, -8) if number(CURVE)? == 6 => Some(Self::Ed25519(part(FIRST)?.to_vec())),
            (3, -257) => {
                let (modulus, exponent) = (part(MODULUS)?, part(EXPONENT)?);
                Some(Self::Rsa(trimmed(modulus), trimmed(exponent)))
            }
            _ => None,
        }
    }
}

/// A number without the zeros before it.
pub(super) fn trimmed(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number[zeros..].to_vec()
}

/// The values of a key by their labels; none where it is written otherwise than authenticators do.
fn labels(bytes: &[u8]) -> Option<BTreeMap<i64, CoseValue<'_>>> {
    let (5, count, mut rest) = head(bytes)? else {
        return None;
    };
    let mut labels = BTreeMap::new();
    for _ in 0..count {
        let (CoseValue::Number(label), after) = value(rest)? else {
            return None;
        };
        let (value, after) = value(after)?;
        if labels.insert(label, value).is_some() {
            return None;
        }
        rest = after;
    }
    Some(labels)
}

/// A number or some bytes, and what follows.
fn value(bytes: &[u8]) -> Option<(CoseValue<'_>, &[u8])> {
    let (major, count, rest) = head(bytes)?;
    match major {
        0 => Some((CoseValue::Number(i64::from(count)), rest)),
        1 => Some((CoseValue::Number(-1 - i64::from(count)), rest)),
        2 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(count))?;
            Some((CoseValue::Bytes(bytes), rest))
        }
        _ => None,
    }
}

/// How CBOR (RFC 8949) begins a thing: its kind, its number or length, which is short here, and what follows.
fn head(bytes: &[u8]) -> Option<(u8, u16, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let major = first >> 5;
    match first & 0x1f {
        short @ 0..=23 => Some((major, u16::from(short), rest)),
        24 => {
            let (one, rest) = rest.split_first()?;
            Some((major, u16::from(*one), rest))
        }
        25 => {
            let (two, rest) = rest.split_first_chunk()?;
            Some((major, u16::from_be_bytes(*two), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p256() -> Vec<u8> {
        let mut key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".to_vec();
        key.extend([3; 32]);
        key.extend(b"\x22\x58\x20");
        key.extend([4; 32]);
        key
    }

    #[test]
    fn keys_of_all_kinds_are_read() {
        let point = [[4].as_slice(), &[3; 32], &[4; 32]].concat();
        assert_eq!(CoseKey::read(&p256()), Some(CoseKey::P256(point)));
        let ed = [
            b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20".as_slice(),
            &[5; 32],
        ]
        .concat();
        assert_eq!(CoseKey::read(&ed), Some(CoseKey::Ed25519(vec![5; 32])));
        let rsa = b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00".as_slice();
        let rsa = [rsa, &[6; 256], b"\x21\x43\x01\x00\x01"].concat();
        let wanted = CoseKey::Rsa(vec![6; 256], vec![1, 0, 1]);
        assert_eq!(CoseKey::read(&rsa), Some(wanted));
        assert_eq!(trimmed(&[0, 0, 7, 0]), [7, 0]);
    }

    #[test]
    fn what_is_no_key_is_none() {
        let good = p256();
        for cut in 0..good.len() {
            assert_eq!(CoseKey::read(&good[..cut]), None, "{cut} bytes");
        }
        // Another sort, algorithm or curve; a label twice; a map that claims to be longer.
        for (at, byte) in [(2, 1), (4, 0x27), (6, 2), (7, 0x20), (0, 0xb7)] {
            let mut bad = good.clone();
            bad[at] = byte;
            assert_eq!(CoseKey::read(&bad), None, "byte {at} is {byte}");
        }
    }
}
