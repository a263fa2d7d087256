//! Smaller inputs that still fail.
//!
//! Works on the bytes with the notes of what they stood for, so it needs to
//! know nothing of types. Elements go before numbers: a shorter list is easier
//! to read than one with smaller entries.

use super::source::{Choosing, Draw, Item, Kind, Maker, Source};

/// How many inputs are tried in all.
const MAX_TRIALS: usize = 2_000;

/// Shrinks `bytes`, for which `fails` is true.
pub(super) fn shrink(
    bytes: Vec<u8>,
    decode: &dyn Fn(&mut Source<'_>),
    fails: &dyn Fn(&[u8]) -> bool,
) -> Vec<u8> {
    let mut best = bytes;
    let mut trials = 0;
    loop {
        let before = best.clone();
        for candidate in candidates(&notes(&best, decode)) {
            trials += 1;
            if trials > MAX_TRIALS {
                return best;
            }
            if candidate != best && fails(&candidate) {
                best = candidate;
                break;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// What the bytes of an input stand for.
fn notes(bytes: &[u8], decode: &dyn Fn(&mut Source<'_>)) -> Maker {
    let mut maker = Maker::new(bytes.to_vec(), Choosing::Given, 1);
    decode(&mut Source::making(&mut maker));
    maker
}

fn candidates(maker: &Maker) -> Vec<Vec<u8>> {
    let mut list = vec![];
    for item in &maker.items {
        list.push(without(&maker.bytes, item));
    }
    for draw in &maker.draws {
        if draw.kind != Kind::Small {
            list.extend(smaller(&maker.bytes, draw));
        } else if maker.bytes[draw.start] > 0 {
            let mut bytes = maker.bytes.clone();
            bytes[draw.start] -= 1;
            list.push(bytes);
        }
    }
    list
}

fn without(bytes: &[u8], item: &Item) -> Vec<u8> {
    let mut shorter = bytes.to_vec();
    shorter.drain(item.start..item.end);
    shorter[item.length_at] -= 1;
    shorter
}

/// Numbers nearer to zero, and positive before negative.
fn smaller(bytes: &[u8], draw: &Draw) -> Vec<Vec<u8>> {
    let place = draw.start..draw.start + draw.len;
    let mut word = [0; 16];
    word[..draw.len].copy_from_slice(&bytes[place.clone()]);
    let number = u128::from_le_bytes(word);
    let shift = 128 - 8 * draw.len as u32;
    let signed = ((number << shift) as i128) >> shift;
    let steps = match draw.kind {
        Kind::Signed if signed < 0 && signed.checked_neg().is_some() => {
            vec![0, -signed as u128, (signed / 2) as u128, (signed + 1) as u128]
        }
        Kind::Signed if signed < 0 => vec![0, (signed / 2) as u128, (signed + 1) as u128],
        _ => vec![0, number / 2, number.saturating_sub(1)],
    };
    let with = |step: u128| {
        let mut changed = bytes.to_vec();
        changed[place.clone()].copy_from_slice(&step.to_le_bytes()[..draw.len]);
        changed
    };
    steps.into_iter().filter(|step| *step != number).map(with).collect()
}
