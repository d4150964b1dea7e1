use std::io::BufRead;
use std::sync::mpsc::{Receiver, sync_channel};

use serde::Deserialize;
use signorini_core::na::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::PlanError;

/// Lines that are read ahead at most.
const AHEAD: usize = 1024;

/// Poses of bodies that are moved from outside, in the order of their times.
pub trait PoseSource {
    /// The next body and pose not later than `time` \[s\]; None: none until then.
    ///
    /// # Errors
    /// [`PlanError::Pose`].
    fn next_until(&mut self, time: f64) -> Result<Option<(String, Isometry3<f64>)>, PlanError>;
}

/// One line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    t: Option<f64>,
    body: String,
    position: [f64; 3],
    #[serde(default = "upright")]
    rotation: [f64; 4],
}

fn upright() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

/// Poses from text, a line of JSON each: `{"t": 1.2, "body": "target", "position": [0.1, 0, 0.3], "rotation": [1, 0, 0, 0]}`, rotation (w, x, y, z).
///
/// Lines are read on a thread of their own. The first line, which is waited for, tells how they are taken:
/// - with `t` \[s\], in step with the world, independent of when they come: each holds from its time on, and the world waits until a later one or the end has been read;
/// - without, live: a line that has come by a control step holds from it on, and nothing is waited for.
///
/// All lines have times, or none; times do not decrease.
pub struct PoseLines {
    lines: Receiver<Result<(usize, Line), PlanError>>,
    /// The first line had a time.
    timed: Option<bool>,
    /// The latest time so far \[s\].
    latest: f64,
    ahead: Option<Line>,
}

impl PoseLines {
    /// From the first line on.
    pub fn new(mut lines: impl BufRead + Send + 'static) -> Self {
        let (send, receive) = sync_channel(AHEAD);
        std::thread::spawn(move || {
            let (mut number, mut text) = (0, String::new());
            while let Some(line) = read(&mut lines, &mut number, &mut text).transpose() {
                let last = line.is_err();
                if send.send(line.map(|line| (number, line))).is_err() || last {
                    break;
                }
            }
        });
        Self { lines: receive, timed: None, latest: f64::NEG_INFINITY, ahead: None }
    }

    /// A line that has been read, unless it does not go with those before.
    fn check(&mut self, number: usize, line: Line) -> Result<Line, PlanError> {
        let fail = |why: String| Err(PlanError::Pose { line: number, why });
        if *self.timed.get_or_insert(line.t.is_some()) != line.t.is_some() {
            return fail("some lines have a time \"t\" and others none; give it to all, or to none".into());
        }
        if let Some(t) = line.t {
            if t < self.latest {
                let latest = self.latest;
                return fail(format!(
                    "its time {t} s is before that of a former line, {latest} s; sort the lines"
                ));
            }
            self.latest = t;
        }
        Ok(line)
    }
}

/// Farther than this nothing is put \[m\]: products with it would lose the digits that tasks need.
const FARTHEST: f64 = 1e6;

/// The next line that is not empty; None at the end.
fn read(lines: &mut impl BufRead, number: &mut usize, text: &mut String) -> Result<Option<Line>, PlanError> {
    const FORM: &str =
        r#"a line must be {"t": seconds, "body": name, "position": [x, y, z], "rotation": [w, x, y, z]}"#;
    let line = loop {
        *number += 1;
        text.clear();
        let fail = |why: String| PlanError::Pose { line: *number, why };
        if lines.read_line(text).map_err(|e| fail(e.to_string()))? == 0 {
            return Ok(None);
        }
        if !text.trim().is_empty() {
            break serde_json::from_str::<Line>(text).map_err(|e| fail(format!("{e}; {FORM}")))?;
        }
    };
    let size = line.rotation.iter().map(|x| x * x).sum::<f64>();
    if !(line.t.is_none_or(f64::is_finite)
        && line.position.iter().all(|x| x.is_finite())
        && size > 1e-20
        && size.is_finite())
    {
        let why = format!("it has a number that is not finite, or a rotation without direction; {FORM}");
        return Err(PlanError::Pose { line: *number, why });
    }
    if line.position.iter().any(|x| x.abs() > FARTHEST) {
        let why = format!("its position {:?} is farther than {FARTHEST} m; give it in metres", line.position);
        return Err(PlanError::Pose { line: *number, why });
    }
    Ok(Some(line))
}

impl PoseSource for PoseLines {
    fn next_until(&mut self, time: f64) -> Result<Option<(String, Isometry3<f64>)>, PlanError> {
        let line = match self.ahead.take() {
            Some(line) => line,
            None => {
                let line = match self.timed {
                    Some(false) => self.lines.try_recv().ok(),
                    _ => self.lines.recv().ok(),
                };
                match line {
                    Some(line) => {
                        let (number, line) = line?;
                        self.check(number, line)?
                    }
                    None => return Ok(None),
                }
            }
        };
        if line.t.is_some_and(|t| t > time) {
            self.ahead = Some(line);
            return Ok(None);
        }
        let [w, x, y, z] = line.rotation;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let [px, py, pz] = line.position;
        Ok(Some((line.body, Isometry3::from_parts(Translation3::new(px, py, pz), rotation))))
    }
}
