//! Samples the server's memory, the time that its threads wait for a processor, and how long they run
//! without a pause.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::machine::{self, Times};

const INTERVAL: Duration = Duration::from_millis(20);

/// A thread of this process that looks at the server until this value is dropped or finished.
pub(crate) struct Sampler {
    stop: Arc<AtomicBool>,
    samples: Arc<Mutex<Samples>>,
    thread: Option<JoinHandle<()>>,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// Bytes in memory at the worst sample.
    pub(crate) peak: Option<u64>,
    /// The longest processor time that a thread of the runtime used without a pause.
    pub(crate) longest_run: Duration,
    /// When, and how long in all the machine had let the server wait until then.
    waits: Vec<(Instant, Duration)>,
}

impl Samples {
    /// How long the machine let the server wait for a processor within an interval.
    pub(crate) fn wait(&self, from: Instant, to: Instant) -> Duration {
        // One sample more on each side: a wait is known only when it is over.
        let first = self.waits.partition_point(|(at, _)| *at < from);
        let last = self.waits.partition_point(|(at, _)| *at < to);
        let total = |at: usize| self.waits.get(at).map(|(_, total)| *total);
        let before = first.checked_sub(1).and_then(total).unwrap_or_default();
        let after = total(last)
            .or_else(|| self.waits.last().map(|(_, total)| *total))
            .unwrap_or_default();
        after.saturating_sub(before)
    }
}

impl Sampler {
    pub(crate) fn start(pid: Option<&str>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let samples = Arc::new(Mutex::new(Samples::default()));
        let thread = pid.map(|pid| {
            let (pid, stop, samples) = (pid.to_owned(), Arc::clone(&stop), Arc::clone(&samples));
            thread::spawn(move || {
                let mut threads = Threads::of(&pid);
                while !stop.load(Ordering::Relaxed) {
                    let memory = process::memory(&pid).ok();
                    let waited = threads.look();
                    {
                        let mut samples = samples.lock().unwrap_or_else(PoisonError::into_inner);
                        samples.peak = samples.peak.max(memory);
                        let total = samples.waits.last().map_or(Duration::ZERO, |last| last.1);
                        samples.waits.push((Instant::now(), total + waited));
                        samples.longest_run = threads.longest_run;
                    }
                    thread::sleep(INTERVAL);
                }
            })
        });
        Self {
            stop,
            samples,
            thread,
        }
    }

    /// Ends the thread and returns what it saw.
    pub(crate) fn finish(mut self) -> Samples {
        self.join();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.clone()
    }

    fn join(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has no reason to panic, and its samples stay valid if it did.
            let _ = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.join();
    }
}

/// The threads of a process.
struct Threads {
    folder: String,
    /// Those that the process has from the start: its main thread and the workers of the runtime.
    /// Good calls wait for these.
    first: Vec<Thread>,
    longest_run: Duration,
    /// Processor time of all others so far.
    others: Duration,
}

impl Threads {
    fn of(pid: &str) -> Self {
        let folder = format!("/proc/{pid}/task");
        let mut threads = Self {
            first: names(&folder).map(Thread::new).collect(),
            longest_run: Duration::ZERO,
            others: Duration::ZERO,
            folder,
        };
        threads.look();
        threads
    }

    /// How long the threads waited for a processor since the last look. Time in which others of the
    /// same process used a processor does not count: then the server kept itself waiting.
    fn look(&mut self) -> Duration {
        // A thread that never paused may have been busy with one message: its waits delayed good calls
        // only if no other thread handled them.
        let (mut paused, mut busy) = (None, None);
        for thread in &mut self.first {
            let seen = thread.look(&self.folder);
            self.longest_run = self.longest_run.max(thread.run);
            if seen.paused {
                paused = paused.max(Some(seen.waited));
            } else if seen.active {
                let least = busy.map_or(seen.waited, |least: Duration| least.min(seen.waited));
                busy = Some(least);
            }
        }
        let waited = paused.or(busy).unwrap_or_default();
        let others: Duration = names(&self.folder)
            .filter(|name| !self.first.iter().any(|first| first.name == *name))
            .filter_map(|name| machine::schedstat(&format!("{}/{name}/schedstat", self.folder)))
            .map(|times| times.ran)
            .sum();
        // Smaller where a thread has ended meanwhile.
        let used = others.saturating_sub(self.others);
        self.others = others;
        waited.saturating_sub(used)
    }
}

/// What a thread did between two looks.
struct Seen {
    /// How long it waited for a processor.
    waited: Duration,
    /// Whether it paused by itself.
    paused: bool,
    /// Whether it ran or waited to run.
    active: bool,
}

/// A thread of a process.
struct Thread {
    name: String,
    /// What it had used at the last look.
    last: Option<Times>,
    /// How often it had paused by itself: a worker does so when it has nothing to do.
    pauses: Option<u64>,
    /// Processor time since a look at which it was seen to have paused.
    run: Duration,
}

impl Thread {
    fn new(name: String) -> Self {
        Self {
            name,
            last: None,
            pauses: None,
            run: Duration::ZERO,
        }
    }

    /// What the thread did since the last look.
    fn look(&mut self, folder: &str) -> Seen {
        let file = |file| format!("{folder}/{}/{file}", self.name);
        let now = machine::schedstat(&file("schedstat"));
        let pauses = machine::pauses(&file("status"));
        let (mut ran, mut waited) = (Duration::ZERO, Duration::ZERO);
        if let (Some(now), Some(last)) = (now, self.last) {
            waited = now.waited.saturating_sub(last.waited);
            ran = now.ran.saturating_sub(last.ran);
        }
        let has_paused = pauses != self.pauses;
        if has_paused {
            self.run = Duration::ZERO;
        } else {
            self.run += ran;
        }
        (self.last, self.pauses) = (now, pauses);
        Seen {
            waited,
            paused: has_paused,
            active: !(ran + waited).is_zero(),
        }
    }
}

fn names(folder: &str) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}
