use std::path::Path;

use signorini_core::na::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::PlanError;

/// Columns of a pose, behind the name of the body.
const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
/// Rotations further from unit length than this are refused.
const UNIT: f64 = 1e-2;

/// A motion of a robot with a free root, and of an object where there is one: a reference to follow, which physics need not allow.
///
/// From a table with a header: `t` \[s\], increasing; pose of the root `root_x` … `root_z` \[m\], `root_qw` … `root_qz`; angles \[rad\] under the names of joints; after them, if there is
/// an object, its pose `object_x` … `object_qz`. Between rows positions and angles run straight, rotations along the shorter arc; before the first and after the last row it stands still.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    joints: Vec<String>,
    times: Vec<f64>,
    root: Vec<Isometry3<f64>>,
    /// Rows × joints.
    angles: Vec<f64>,
    object: Vec<Isometry3<f64>>,
}

impl Motion {
    /// From a file.
    ///
    /// # Errors
    /// [`PlanError::Motion`] naming file, line and column.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| PlanError::Motion {
            file: file.clone(),
            line: 0,
            why: e.to_string(),
        })?;
        Self::parse(&file, &text)
    }

    /// From the text of a file, whose name errors have.
    ///
    /// # Errors
    /// [`PlanError::Motion`].
    pub fn parse(file: &str, text: &str) -> Result<Self, PlanError> {
        let fail = |line: usize, why: String| PlanError::Motion { file: file.to_owned(), line, why };
        let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
        let (_, header) = lines.next().ok_or_else(|| fail(1, "is empty; give a header and rows".into()))?;
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let pose = |body: &str| POSE.map(|c| format!("{body}_{c}"));
        let first: Vec<String> = std::iter::once("t".to_owned()).chain(pose("root")).collect();
        if names.iter().take(8).ne(first.iter()) {
            return Err(fail(1, format!("must begin with the columns {}", first.join(","))));
        }
        let has_object = names.len() >= 15 && names[names.len() - 7..].iter().eq(pose("object").iter());
        let joints = &names[8..names.len() - if has_object { 7 } else { 0 }];
        if let Some((i, name)) =
            joints.iter().enumerate().find(|(i, n)| n.is_empty() || joints[..*i].contains(n))
        {
            let why = format!("column {} '{name}' has no name or one that was there before", i + 9);
            return Err(fail(1, why));
        }
        let mut motion = Self {
            joints: joints.iter().map(|s| (*s).to_owned()).collect(),
            times: Vec::new(),
            root: Vec::new(),
            angles: Vec::new(),
            object: Vec::new(),
        };
        for (i, line) in lines {
            let line_number = i + 1;
            let cells: Vec<&str> = line.split(',').collect();
            if cells.len() != names.len() {
                let why = format!("has {} columns, the header has {}", cells.len(), names.len());
                return Err(fail(line_number, why));
            }
            let mut row = Vec::with_capacity(cells.len());
            for (cell, name) in cells.iter().zip(&names) {
                match cell.trim().parse::<f64>() {
                    Ok(x) if x.is_finite() => row.push(x),
                    _ => {
                        let why = format!("column '{name}' has '{}'; give a finite number", cell.trim());
                        return Err(fail(line_number, why));
                    }
                }
            }
            motion.add(&row).map_err(|why| fail(line_number, why))?;
        }
        if motion.times.len() < 2 {
            return Err(fail(1, format!("has {} rows; give 2 or more", motion.times.len())));
        }
        Ok(motion)
    }

    fn add(&mut self, row: &[f64]) -> Result<(), String> {
        if let Some(last) = self.times.last().filter(|last| row[0] <= **last) {
            return Err(format!("is at {} s, after {last} s; give increasing times", row[0]));
        }
        let pose = |at: usize, what: &str| {
            let q = Quaternion::new(row[at + 3], row[at + 4], row[at + 5], row[at + 6]);
            if (q.norm() - 1.0).abs() > UNIT {
                return Err(format!(
                    "has a rotation of the {what} of length {}; give a unit quaternion",
                    q.norm()
                ));
            }
            let place = Translation3::new(row[at], row[at + 1], row[at + 2]);
            Ok(Isometry3::from_parts(place, UnitQuaternion::from_quaternion(q)))
        };
        let end = 8 + self.joints.len();
        self.root.push(pose(1, "root")?);
        if row.len() > end {
            self.object.push(pose(end, "object")?);
        }
        self.times.push(row[0]);
        self.angles.extend_from_slice(&row[8..end]);
        Ok(())
    }

    /// Names of the joints.
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// Whether there is an object.
    pub fn has_object(&self) -> bool {
        !self.object.is_empty()
    }

    /// Time of its first and last row \[s\].
    pub fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// The interval that a time is in, and how far in it, 0 to 1.
    fn interval(&self, time: f64) -> (usize, f64) {
        let i = self.times.partition_point(|t| *t <= time).clamp(1, self.times.len() - 1) - 1;
        (i, ((time - self.times[i]) / (self.times[i + 1] - self.times[i])).clamp(0.0, 1.0))
    }

    /// Angles at a time, in the order of [`Motion::joints`].
    pub fn angles_at(&self, time: f64) -> impl Iterator<Item = f64> {
        let at = self.angle_of(time);
        (0..self.joints.len()).map(at)
    }

    /// The angle of a joint at a time, by its number.
    pub(crate) fn angle_of(&self, time: f64) -> impl Fn(usize) -> f64 {
        let ((i, f), n) = (self.interval(time), self.joints.len());
        let (before, after) = (&self.angles[i * n..], &self.angles[(i + 1) * n..]);
        move |joint| (1.0 - f) * before[joint] + f * after[joint]
    }

    /// The pose of the root at a time.
    pub fn root_at(&self, time: f64) -> Isometry3<f64> {
        self.between(&self.root, time)
    }

    /// Pose of the object, where there is one.
    pub fn object_at(&self, time: f64) -> Option<Isometry3<f64>> {
        self.has_object().then(|| self.between(&self.object, time))
    }

    fn between(&self, poses: &[Isometry3<f64>], time: f64) -> Isometry3<f64> {
        let (i, f) = self.interval(time);
        let (a, b) = (&poses[i], &poses[i + 1]);
        let turn = (a.rotation.inverse() * b.rotation).scaled_axis();
        let place = a.translation.vector.lerp(&b.translation.vector, f);
        Isometry3::from_parts(place.into(), a.rotation * UnitQuaternion::from_scaled_axis(f * turn))
    }

    /// Velocities in the first interval: of the root's place \[m/s\], its spin in its own axes \[rad/s\], of the joints \[rad/s\].
    pub fn first_velocities(&self) -> (Vector3<f64>, Vector3<f64>, Vec<f64>) {
        let dt = self.times[1] - self.times[0];
        let (a, b, n) = (&self.root[0], &self.root[1], self.joints.len());
        let spin = (a.rotation.inverse() * b.rotation).scaled_axis() / dt;
        let joints = self.angles[..n].iter().zip(&self.angles[n..]).map(|(a, b)| (b - a) / dt);
        ((b.translation.vector - a.translation.vector) / dt, spin, joints.collect())
    }
}
