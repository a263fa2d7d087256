//! Counts bytes as editors count lines and columns.

use crate::Place;

/// Where lines begin.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(n, _)| n + 1));
        Lines { text, starts: starts.collect() }
    }

    pub fn place(&self, byte: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= byte);
        let column = self.text[self.starts[line - 1]..byte].chars().count() + 1;
        Place { line, column }
    }
}
