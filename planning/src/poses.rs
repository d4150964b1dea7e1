use std::io::BufRead;

use serde::Deserialize;
use signorini_core::na::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::PlanError;

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
    #[serde(default)]
    t: f64,
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
/// Without `t` a pose holds as soon as it is read. Reading waits for lines: a line later than the time asked for is kept until its time has come, so a source that is never silent for
/// longer than the world may wait (motion capture through a pipe, a file) drives it in step.
pub struct PoseLines<R> {
    lines: R,
    number: usize,
    ahead: Option<Line>,
    text: String,
}

impl<R: BufRead> PoseLines<R> {
    /// From the first line on.
    pub fn new(lines: R) -> Self {
        Self { lines, number: 0, ahead: None, text: String::new() }
    }

    fn read(&mut self) -> Result<Option<Line>, PlanError> {
        const FORM: &str =
            r#"a line must be {"t": seconds, "body": name, "position": [x, y, z], "rotation": [w, x, y, z]}"#;
        let line = loop {
            self.number += 1;
            self.text.clear();
            let fail = |why: String| PlanError::Pose { line: self.number, why };
            if self.lines.read_line(&mut self.text).map_err(|e| fail(e.to_string()))? == 0 {
                return Ok(None);
            }
            if !self.text.trim().is_empty() {
                break serde_json::from_str::<Line>(&self.text).map_err(|e| fail(format!("{e}; {FORM}")))?;
            }
        };
        let size = line.rotation.iter().map(|x| x * x).sum::<f64>();
        if !(line.t.is_finite()
            && line.position.iter().all(|x| x.is_finite())
            && size > 1e-20
            && size.is_finite())
        {
            let why = format!("it has a number that is not finite, or a rotation without direction; {FORM}");
            return Err(PlanError::Pose { line: self.number, why });
        }
        Ok(Some(line))
    }
}

impl<R: BufRead> PoseSource for PoseLines<R> {
    fn next_until(&mut self, time: f64) -> Result<Option<(String, Isometry3<f64>)>, PlanError> {
        let line = match self.ahead.take() {
            Some(line) => line,
            None => match self.read()? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        if line.t > time {
            self.ahead = Some(line);
            return Ok(None);
        }
        let [w, x, y, z] = line.rotation;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let [px, py, pz] = line.position;
        Ok(Some((line.body, Isometry3::from_parts(Translation3::new(px, py, pz), rotation))))
    }
}
