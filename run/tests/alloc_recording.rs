//! Memory of a run that is written as it goes on does not grow with its length.

#![allow(clippy::unwrap_used, reason = "a test that cannot run its scene has failed")]

use std::fmt::Write;

use signorini_core::{AcceptedStep, StepObserver};
use signorini_run::recorder::{Recorder, RecordingStart, RunLabels};
use signorini_run::recording::{RecordingFile, RowSink};
use signorini_run::{Method, Recording};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::allocations::{CountingAllocator, heap_in_use};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const BALLS: usize = 1000;
/// Rows between which memory is compared.
const EARLY: usize = 20;
const LATE: usize = 60;
/// Bytes of a row: per ball seven positions, six velocities, a pose of seven, and impulses of six sources.
const ROW: usize = 8 * BALLS * (7 + 6 + 7 + 6 * 6);

/// Balls beside one another on a floor.
fn balls() -> Scene {
    let mut text = "<mujoco><worldbody><geom type='plane' size='9 9 .1'/>".to_owned();
    for i in 0..BALLS {
        let (x, y) = (0.25 * (i % 32) as f64, 0.25 * (i / 32) as f64);
        write!(text, "<body pos='{x} {y} .0999'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>")
            .unwrap();
    }
    text.push_str("</worldbody></mujoco>");
    Scene::from_mjcf(&text, "balls.xml", &LoadOptions::default()).unwrap()
}

/// Reads the heap beside a recorder.
struct Heap<'a, S: RowSink> {
    recorder: Recorder<'a, S>,
    steps: usize,
    early: i64,
    late: i64,
}

impl<S: RowSink> StepObserver for Heap<'_, S> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.recorder.accepted(step);
        self.steps += 1;
        match self.steps {
            EARLY => self.early = heap_in_use(),
            LATE => self.late = heap_in_use(),
            _ => {}
        }
    }
}

/// Growth of the heap from an early row to a late one \[bytes\], and the receiver of the rows.
fn growth<S: RowSink>(scene: &Scene, sink: S) -> (i64, S) {
    let method = Method::comfree().with_step(1e-3);
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let start =
        RecordingStart { scene, labels: RunLabels::of(&method), x0: &x, held: sys.held(), surfaces: false };
    let recorder = Recorder::of_method(start, &method, sink).unwrap();
    let mut heap = Heap { recorder, steps: 0, early: 0, late: 0 };
    method.integrator().unwrap().advance(&mut sys, &mut x, 1e-3 * LATE as f64, &mut heap).unwrap();
    assert_eq!(heap.steps, LATE);
    (heap.late - heap.early, heap.recorder.recording)
}

#[test]
fn alloc_a_written_run_does_not_grow() {
    let scene = balls();
    let path = std::env::temp_dir().join(format!("signorini-balls-{}.npz", std::process::id()));
    let (grown, file) = growth(&scene, RecordingFile::create(&path, None).unwrap());
    // Less than a hundredth of one row, for contacts that come and go.
    assert!(grown < ROW as i64 / 100, "{grown} bytes");
    assert_eq!(file.len(), LATE + 1);
    drop(file);
    // The rows would be seen in memory.
    let (grown, recording) = growth(&scene, Recording::default());
    assert!(recording.contact_row.len() >= BALLS * LATE, "all balls touch");
    assert!(grown > ((LATE - EARLY) * ROW / 2) as i64, "{grown} bytes");
}
