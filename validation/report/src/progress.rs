//! Time that a run of the suite has left.

use std::time::Instant;

/// Speeds that estimates allow, times of pages over those that they tell: a first page says little.
const SPEEDS: [f64; 2] = [0.1, 30.0];

/// Pages that wait, run and are done, with the wall times that they tell \[s\].
pub(crate) struct Progress {
    jobs: f64,
    /// Sums over pages that wait: of those that run beside others, and of those that run by themselves.
    waiting: [f64; 2],
    running: Vec<(&'static str, f64, Instant)>,
    /// Sums over pages that are done: told and measured.
    done: [f64; 2],
}

impl Progress {
    /// All pages wait; each with whether it runs by itself.
    pub(crate) fn new(jobs: usize, costs: impl Iterator<Item = (f64, bool)>) -> Self {
        let mut waiting = [0.0; 2];
        costs.for_each(|(cost, alone)| waiting[usize::from(alone)] += cost);
        Self { jobs: jobs as f64, waiting, running: Vec::new(), done: [0.0; 2] }
    }

    /// A page begins.
    pub(crate) fn begin(&mut self, id: &'static str, cost: f64, alone: bool) {
        self.waiting[usize::from(alone)] -= cost;
        self.running.push((id, cost, Instant::now()));
    }

    /// A page ends; one that was not run took no time.
    pub(crate) fn end(&mut self, id: &str, wall_s: Option<f64>) {
        if let Some(at) = self.running.iter().position(|r| r.0 == id) {
            let (_, cost, _) = self.running.swap_remove(at);
            if let Some(wall_s) = wall_s {
                self.done[0] += cost;
                self.done[1] += wall_s;
            }
        }
    }

    /// Pages that run, with commas.
    pub(crate) fn running(&self) -> String {
        self.running.iter().map(|r| r.0).collect::<Vec<_>>().join(", ")
    }

    /// Estimate of the time left \[s\]: told times, at the speed of the pages that are done.
    pub(crate) fn left(&self) -> f64 {
        let [low, high] = SPEEDS;
        // A second counts as if it had been as told, so that short pages do not decide.
        let speed = ((1.0 + self.done[1]) / (1.0 + self.done[0])).clamp(low, high);
        let rest = |(_, cost, since): &(_, f64, Instant)| {
            let (told, passed) = (speed * cost, since.elapsed().as_secs_f64());
            // A page that takes longer than told may take half of its time again.
            if passed < told { (told - passed).max(0.1 * told) } else { 0.5 * passed }
        };
        let running: f64 = self.running.iter().map(rest).sum();
        let [together, alone] = self.waiting.map(|s| s.max(0.0));
        (speed * together + running) / self.jobs + speed * alone
    }

    /// The estimate in words.
    pub(crate) fn left_in_words(&self) -> String {
        duration(self.left())
    }
}

/// A time in words.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytic_time_left_follows_the_speed_of_pages_that_are_done() {
        let mut p = Progress::new(2, [(10.0, false), (10.0, false), (5.0, true)].into_iter());
        assert!((p.left() - 15.0).abs() < 1e-9, "{}", p.left());
        p.begin("a", 10.0, false);
        assert_eq!(p.running(), "a");
        p.end("a", Some(21.0));
        // Twice as slow: 20 s on two and 10 s alone.
        assert!((p.left() - 20.0).abs() < 1e-9, "{}", p.left());
        p.begin("b", 10.0, false);
        p.begin("c", 5.0, true);
        assert!(p.left() > 1.0 && p.left() <= 20.0);
        p.end("b", None);
        p.end("c", Some(10.0));
        assert!(p.left().abs() < 1e-9, "{}", p.left());
    }
}
