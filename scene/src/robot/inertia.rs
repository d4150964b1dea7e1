//! Mass, centre of mass, rotational inertia.

use signorini_core::na::{Matrix3, Point3};
use signorini_geometry::MassProperties;

use super::Reader;
use crate::xml::{Element, Read};
use crate::{NoteKind, Pose};

/// Largest negative moment and excess over the triangle inequality, relative to the largest moment, that is put down to the decimals
/// of the file.
const ROUNDING: f64 = 1e-9;
/// Moments of inertia \[kg·m²\] below this are rounding of a file.
const SMALLEST: f64 = 1e-15;
/// Excess over the triangle inequality above which a warning is given: files state few digits.
const EXCESS: f64 = 1e-6;

impl<T> Reader<'_, T> {
    /// Mass properties that `<inertial>` states in a frame, in that in which the frame has the given pose; None for a body without mass. With
    /// `unit`, a mass and moments that are not stated are 1.
    pub(crate) fn read_mass(&mut self, e: &Element, pose: &Pose, unit: bool) -> Read<Option<MassProperties>> {
        let m = if unit { e.only("mass")?.unwrap_or(e) } else { e.need("mass")? };
        let mass = if std::ptr::eq(m, e) {
            1.0
        } else {
            m.required("value")?;
            m.number("value")?.unwrap_or_default()
        };
        let i = if unit { e.only("inertia")?.unwrap_or(e) } else { e.need("inertia")? };
        let moment = |name: &'static str, needed: bool| -> Read<f64> {
            if needed && !unit {
                i.required(name)?;
            }
            let otherwise = if needed && unit { 1.0 } else { 0.0 };
            Ok(i.number(name)?.unwrap_or(otherwise))
        };
        let (xx, yy, zz) = (moment("ixx", true)?, moment("iyy", true)?, moment("izz", true)?);
        let (xy, xz, yz) = (moment("ixy", false)?, moment("ixz", false)?, moment("iyz", false)?);
        for (name, upper) in [("iyx", xy), ("izx", xz), ("izy", yz)] {
            if i.number(name)?.is_some_and(|x| x != upper) {
                let text = format!("{name} is not the moment across the diagonal: {upper} above it is taken");
                self.notes.add(NoteKind::Warning, i, text);
            }
        }
        self.finish(m)?;
        self.finish(i)?;
        self.finish(e)?;
        if mass < 0.0 {
            return Err(m.invalid_at(
                "value",
                format!("the mass is {mass}"),
                "write a mass in kg that is not negative",
            ));
        }
        let mut inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        if inertia.amax() > 0.0 && inertia.amax() < SMALLEST {
            self.notes.add(
                NoteKind::Converted,
                i,
                format!("moments of inertia below {SMALLEST:e} kg m² count as zero"),
            );
            inertia.fill(0.0);
        }
        let raw = MassProperties { mass, com: Point3::origin(), inertia };
        if mass == 0.0 {
            if inertia.amax() > 0.0 {
                let text = "the mass is zero but the inertia is not: no body has that; the link is taken as without mass";
                self.notes.add(NoteKind::Warning, e, text);
            }
            return Ok(None);
        }
        self.check_moments(i, &raw)?;
        Ok(Some(raw.transformed(pose)))
    }

    fn check_moments(&mut self, i: &Element, raw: &MassProperties) -> Read<()> {
        if self.compiler.bound_inertia > 0.0 {
            return Ok(());
        }
        let d = raw.principal().0;
        let shown = format!("({:.6e}, {:.6e}, {:.6e}) kg m^2", d.x, d.y, d.z);
        if d.z < -ROUNDING * d.x.abs() || d.x < 0.0 {
            return Err(i.invalid(
                format!("the principal moments of inertia are {shown}: one is negative"),
                "write an inertia that is positive definite",
            ));
        }
        let excess = d.x - (d.y + d.z);
        if excess > EXCESS * d.x && !self.compiler.balance {
            // Robots in use have such links; the equations of motion stay well posed, so that they are read.
            let text = format!(
                "the principal moments of inertia {shown} violate A + B >= C: no body has them; they are used as written"
            );
            self.notes.add(NoteKind::Warning, i, text);
        }
        Ok(())
    }
}
