//! Inertia of hollow primitives (`shellinertia`).

use std::f64::consts::PI;

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{MassProperties, Shape};

/// Mass properties of a shape's surface at one kilogram per square metre; None for shapes other than primitives.
pub(super) fn shell(shape: &Shape) -> Option<MassProperties> {
    let (mass, moments) = match *shape {
        Shape::Sphere { radius: r } => {
            let m = 4.0 * PI * r * r;
            (m, Vector3::from_element(2.0 / 3.0 * m * r * r))
        }
        Shape::Cylinder { radius: r, half_length: h } => {
            // The tube 2πr·2h, and two disks πr² at ±h.
            let (tube, disk) = (4.0 * PI * r * h, PI * r * r);
            let across = tube * (r * r / 2.0 + h * h / 3.0) + 2.0 * disk * (r * r / 4.0 + h * h);
            (tube + 2.0 * disk, Vector3::new(across, across, tube * r * r + disk * r * r))
        }
        Shape::Capsule { radius: r, half_length: h } => {
            // The tube, and two hemispherical shells whose centre of mass lies r/2 above their base.
            let (tube, cap) = (4.0 * PI * r * h, 2.0 * PI * r * r);
            let cap_at_com = cap * (2.0 / 3.0 - 0.25) * r * r;
            let across =
                tube * (r * r / 2.0 + h * h / 3.0) + 2.0 * (cap_at_com + cap * (h + r / 2.0).powi(2));
            (tube + 2.0 * cap, Vector3::new(across, across, tube * r * r + 4.0 / 3.0 * cap * r * r))
        }
        Shape::Box { half_extents: s } => {
            let faces = [4.0 * s.y * s.z, 4.0 * s.z * s.x, 4.0 * s.x * s.y];
            // ∫x² over the surface: the two faces across x at distance s.x, the four along it with s.x²/3.
            let second = |i: usize| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                2.0 * s[i] * s[i] * (faces[i] + (faces[j] + faces[k]) / 3.0)
            };
            let (x, y, z) = (second(0), second(1), second(2));
            (2.0 * faces.iter().sum::<f64>(), Vector3::new(y + z, z + x, x + y))
        }
        Shape::Ellipsoid { semi_axes: s } => {
            // As MuJoCo: the area by Thomsen's formula (0.1 % off at most), the inertia of the layer that grows when h is added to each
            // semi-axis, h to 0. That layer is not of uniform thickness.
            const P: f64 = 1.6075;
            let [ab, bc, ca] = [s.x * s.y, s.y * s.z, s.z * s.x];
            let area = 4.0 * PI * ((ab.powf(P) + bc.powf(P) + ca.powf(P)) / 3.0).powf(1.0 / P);
            let (volume, growth) = (s.x * s.y * s.z, ab + bc + ca);
            let moment = |p: f64, q: f64| area * (p * p + q * q + 2.0 * (p + q) * volume / growth) / 5.0;
            (area, Vector3::new(moment(s.y, s.z), moment(s.z, s.x), moment(s.x, s.y)))
        }
        _ => return None,
    };
    Some(MassProperties { mass, com: Point3::origin(), inertia: Matrix3::from_diagonal(&moments) })
}
