//! How many jobs are looked at together, so that their outputs fit into memory.

/// How many looks are in flight at most, and how many may be however large outputs are: one that takes
/// long keeps back no others.
const LOOKS: u64 = 64;
const LEAST: u64 = 2;

/// How many bytes the outputs of looks in flight may have, as far as the last ones tell: each is in
/// memory until it is recorded.
const BYTES: u64 = 64 * 1024 * 1024;

/// What an output is taken for before there was any.
const AT_FIRST: u64 = 8 * 1024 * 1024;

/// Follows how large outputs are. It learns of a larger one at once, and of smaller ones slowly.
pub(super) struct Outputs {
    expected: u64,
}

impl Outputs {
    pub(super) fn new() -> Self {
        Self { expected: AT_FIRST }
    }

    /// A job has ended with so many bytes of output.
    pub(super) fn had(&mut self, bytes: u64) {
        self.expected = bytes.max(self.expected - self.expected / 16);
    }

    /// How many looks may be in flight.
    pub(super) fn looks(&self) -> usize {
        let looks = (BYTES / self.expected.max(1)).clamp(LEAST, LOOKS);
        usize::try_from(looks).unwrap_or(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_outputs_leave_room_for_few_looks_and_small_ones_for_more_again() {
        let mut outputs = Outputs::new();
        assert_eq!(outputs.looks(), 8);
        for _ in 0..40 {
            outputs.had(1_000);
        }
        assert_eq!(outputs.looks(), 64);
        outputs.had(20 << 20);
        assert_eq!(outputs.looks(), 3);
        outputs.had(1_000);
        assert_eq!(outputs.looks(), 3);
        outputs.had(200 << 20);
        assert_eq!(outputs.looks(), 2);
        for _ in 0..200 {
            outputs.had(0);
        }
        assert_eq!(outputs.looks(), 64);
    }
}
