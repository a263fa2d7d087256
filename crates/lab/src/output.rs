//! Drains what a child prints and keeps the end of it.
//!
//! Code under test may print without end. A file would fill the disk, and a
//! pipe that nobody reads would stop the child; so a thread reads all and keeps
//! a bounded tail, which holds the last words of a process that died.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How much is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// The end of what was printed so far.
pub struct Tail {
    kept: Arc<Mutex<LastBytes>>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct LastBytes {
    bytes: VecDeque<u8>,
    total: u64,
}

impl Tail {
    /// Reads `pipe` to its end on a thread of its own and keeps the last
    /// `keep_bytes`. The pipe ends when every process that holds its writing end
    /// has closed it, so close ours before.
    pub fn drain(pipe: impl Read + Send + 'static, keep_bytes: usize) -> Tail {
        let kept = Arc::new(Mutex::new(LastBytes::default()));
        let shared = Arc::clone(&kept);
        let thread = std::thread::spawn(move || read_all(pipe, &shared, keep_bytes));
        Tail { kept, thread }
    }

    /// The tail as it is now, while the child may still print.
    pub fn text(&self) -> String {
        text(&mut lock(&self.kept))
    }

    /// Waits for the end of the pipe, that is, of the child, and returns the
    /// tail and how many bytes were printed in all.
    pub fn finish(self) -> (String, u64) {
        // The thread only reads and copies; were it to panic, what it kept is
        // still good.
        let _ = self.thread.join();
        let mut kept = lock(&self.kept);
        (text(&mut kept), kept.total)
    }
}

fn lock(kept: &Mutex<LastBytes>) -> MutexGuard<'_, LastBytes> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(kept: &mut LastBytes) -> String {
    String::from_utf8_lossy(kept.bytes.make_contiguous()).into_owned()
}

fn read_all(mut pipe: impl Read, kept: &Mutex<LastBytes>, keep_bytes: usize) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let length = match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut kept = lock(kept);
        kept.total += length as u64;
        let news = &chunk[length.saturating_sub(keep_bytes)..length];
        let excess = (kept.bytes.len() + news.len()).saturating_sub(keep_bytes);
        kept.bytes.drain(..excess);
        kept.bytes.extend(news);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn only_the_end_is_kept() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let tail = Tail::drain(reader, 10);
        for number in 0..100_000 {
            writeln!(writer, "{number}").expect("the pipe is drained");
        }
        drop(writer);
        assert_eq!(tail.finish().0, "998\n99999\n");
    }

    #[test]
    fn the_total_counts_what_was_dropped() {
        let text: Vec<u8> = vec![b'x'; 1 << 20];
        let tail = Tail::drain(std::io::Cursor::new(text), 0);
        assert_eq!(tail.finish(), (String::new(), 1 << 20));
    }
}
