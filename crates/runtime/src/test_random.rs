//! Test cases drawn at random, with fixed seeds: the same at every run, so that only a change of
//! the code breaks a test.

use std::ops::RangeInclusive;

use fastrand::Rng;

/// Runs a test on `count` random cases, of consecutive seeds from the environment variable `SEED`
/// on, or from 0.
pub(crate) fn cases(count: u64, test: impl Fn(&mut Rng)) {
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    (first..first + count).for_each(|seed| test(&mut Rng::with_seed(seed)));
}

/// A text of this length in characters: half ASCII, half arbitrary.
pub(crate) fn text(random: &mut Rng, length: RangeInclusive<usize>) -> String {
    let any = |random: &mut Rng| match random.u8(0..4) {
        0 => random.char(..),
        1 => random.char('\u{80}'..='\u{2ff}'),
        _ => random.char(' '..='~'),
    };
    (0..random.usize(length)).map(|_| any(random)).collect()
}

/// A text of this length, of characters of an alphabet.
pub(crate) fn of(random: &mut Rng, alphabet: &str, length: RangeInclusive<usize>) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..random.usize(length)).filter_map(|_| random.choice(&letters)).collect()
}
