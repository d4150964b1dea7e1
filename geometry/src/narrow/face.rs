//! The feature of a core that faces a direction: a polygon, an edge or a corner.

use std::f64::consts::FRAC_PI_4;

use signorini_core::na::Vector3;

use super::core::{Core, hull_support, triangle_support, unit};

type V = Vector3<f64>;

/// Most corners of a polygon; larger faces of hulls are thinned evenly.
pub(super) const MAX_CORNERS: usize = 32;

/// Codes of features: kind in the two highest bits.
pub(super) const VERTEX: u32 = 0;
pub(super) const EDGE: u32 = 1 << 30;
pub(super) const FACE: u32 = 2 << 30;
/// A point that moves freely over a curved part.
pub(super) const CURVED: u32 = 3 << 30;

/// A feature: `len` corners, 1 for a point, 2 for a segment, else a planar polygon counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub(super) corners: [V; MAX_CORNERS],
    /// Code of each corner.
    pub(super) codes: [u32; MAX_CORNERS],
    pub(super) len: usize,
    /// Code of the feature as a whole.
    pub(super) code: u32,
    /// Outward unit normal of a polygon.
    pub(super) normal: V,
}

impl Face {
    pub(super) const fn empty() -> Self {
        let zero = V::new(0.0, 0.0, 0.0);
        Self { corners: [zero; MAX_CORNERS], codes: [0; MAX_CORNERS], len: 0, code: 0, normal: zero }
    }

    fn reset(&mut self, code: u32, normal: V) {
        (self.len, self.code, self.normal) = (0, code, normal);
    }

    fn push(&mut self, p: V, code: u32) {
        self.corners[self.len] = p;
        self.codes[self.len] = code;
        self.len += 1;
    }

    fn set_point(&mut self, p: V, code: u32) {
        self.reset(code, V::zeros());
        self.push(p, code);
    }

    fn set_segment(&mut self, p: V, q: V, codes: [u32; 2]) {
        self.reset(edge_code(codes[0], codes[1]), V::zeros());
        self.push(p, codes[0]);
        self.push(q, codes[1]);
    }

    /// The feature mapped by `p ↦ r p + t`.
    pub(super) fn transform(&mut self, r: &signorini_core::na::Matrix3<f64>, t: &V) {
        for p in &mut self.corners[..self.len] {
            *p = r * *p + t;
        }
        self.normal = r * self.normal;
    }
}

/// Code of a segment as a whole; its ends are 0 and 1.
pub(super) const SEGMENT: u32 = edge_code(0, 1);

/// Code of the edge between two corners.
pub(super) const fn edge_code(i: u32, j: u32) -> u32 {
    let (i, j) = if i < j { (i, j) } else { (j, i) };
    EDGE | (i & 0x7fff) << 15 | j & 0x7fff
}

/// Sine of the tilt up to which a cap carries points that are fixed on its rim; beyond it only the lowest rim point does.
pub(super) const CAP_TILT: f64 = 0.2;

/// Sine of the angle to the tangent plane up to which a line is the feature that faces best.
pub(super) const SLANT: f64 = 0.9;

/// Tilt up to which a feature still faces `d`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    /// Angle within which a feature counts as facing; sine.
    Within(f64),
    /// The feature of highest dimension that faces `d` best, however tilted, short of standing on edge.
    Best,
}

/// Makes `out` the feature of `core` that faces the unit vector `d`, in the core's frame.
pub(super) fn face(core: &Core<'_>, d: &V, reach: Reach, out: &mut Face) {
    // Sine of the largest tilt of faces, and of lines against the tangent plane.
    let (tilt, slant) = match reach {
        Reach::Within(s) => (s, s),
        Reach::Best => (0.98, SLANT),
    };
    // By the sine itself: 1 − cos² is lost to roundoff for small angles.
    let faces = |n: &V| n.dot(d) > 0.0 && n.cross(d).norm_squared() <= tilt * tilt;
    match core {
        Core::Point => out.set_point(V::zeros(), VERTEX),
        Core::Ellipsoid(_) => out.set_point(core.support(d), CURVED),
        Core::Segment(h) => {
            if d.z.abs() <= slant {
                out.set_segment(V::new(0.0, 0.0, -h), V::new(0.0, 0.0, *h), [0, 1])
            } else {
                out.set_point(core.support(d), VERTEX | u32::from(d.z >= 0.0))
            }
        }
        Core::Box(h) => {
            let i = d.iamax();
            let sign = |k: usize| if k == i { 1f64.copysign(d[k]) } else { 0.0 };
            box_face(h, d, faces(&V::new(sign(0), sign(1), sign(2))), slant, out);
        }
        Core::Cylinder(r, h) => {
            let rho = d.x.hypot(d.y);
            let up = 1f64.copysign(d.z);
            let cap = match reach {
                Reach::Within(s) => rho <= s,
                Reach::Best => rho <= CAP_TILT,
            };
            if cap {
                out.reset(FACE | u32::from(up > 0.0), V::new(0.0, 0.0, up));
                for k in 0..8u32 {
                    let (s, c) = (f64::from(k) * up * FRAC_PI_4).sin_cos();
                    out.push(V::new(r * c, r * s, up * h), 2 * k + u32::from(up > 0.0));
                }
            } else if d.z.abs() <= slant.min(0.7) {
                let p = V::new(r * d.x / rho, r * d.y / rho, 0.0);
                let z = V::new(0.0, 0.0, *h);
                out.set_segment(p - z, p + z, [CURVED, CURVED | 1])
            } else {
                out.set_point(core.support(d), CURVED | u32::from(up > 0.0))
            }
        }
        Core::Hull(m) => {
            let i = hull_support(m, d);
            let best = m.ascent.facing(i as u32, &m.faces, &m.normals, d);
            if m.normals.get(best).is_some_and(&faces) {
                let loop_ = &m.faces[best];
                out.reset(FACE | best as u32, m.normals[best]);
                let kept = loop_.len().min(MAX_CORNERS);
                for k in 0..kept {
                    let v = loop_[k * loop_.len() / kept];
                    out.push(m.vertices[v as usize].coords, v);
                }
                return;
            }
            let p = m.vertices[i].coords;
            let mut flat = (slant, None);
            if m.neighbor_start.len() == m.vertices.len() + 1 && reach != Reach::Best {
                for &j in &m.neighbors[m.neighbor_start[i] as usize..m.neighbor_start[i + 1] as usize] {
                    if let Some(e) = unit(&(m.vertices[j as usize].coords - p), 0.0) {
                        let off = e.dot(d).abs();
                        if off <= flat.0 {
                            flat = (off, Some(j));
                        }
                    }
                }
            }
            match flat.1 {
                Some(j) => {
                    let (i, j) = (j.min(i as u32), j.max(i as u32));
                    let at = |k: u32| m.vertices[k as usize].coords;
                    out.set_segment(at(i), at(j), [i, j])
                }
                None => out.set_point(p, VERTEX | i as u32),
            }
        }
        Core::Triangle(t) => triangle_face(t, d, tilt, slant, out),
    }
}

fn box_face(h: &V, d: &V, facing: bool, slant: f64, out: &mut Face) {
    let corner = |s: V| {
        let bit = |k: usize| u32::from(s[k] > 0.0) << k;
        (V::new(h.x * s.x, h.y * s.y, h.z * s.z), bit(0) | bit(1) | bit(2))
    };
    let mut s = d.map(|x| 1f64.copysign(x));
    if facing {
        // The middle of the face and half its edges, in registers: vectors that are written number by number and read as a whole cost a wait each.
        let (x, y, z) = (V::new(h.x, 0.0, 0.0), V::new(0.0, h.y, 0.0), V::new(0.0, 0.0, h.z));
        let (i, sign, out_of, edges) = match d.iamax() {
            0 => (0, s.x, (x, V::x()), [(y, 2), (z, 4)]),
            1 => (1, s.y, (y, V::y()), [(z, 4), (x, 1)]),
            _ => (2, s.z, (z, V::z()), [(x, 1), (y, 2)]),
        };
        let up = sign > 0.0;
        out.reset(FACE | i << 1 | u32::from(up), out_of.1 * sign);
        let (middle, own) = (out_of.0 * sign, u32::from(up) << i);
        let [(u, bit_u), (w, bit_w)] = if up { edges } else { [edges[1], edges[0]] };
        out.push(middle - u - w, own);
        out.push(middle + u - w, own | bit_u);
        out.push(middle + u + w, own | bit_u | bit_w);
        out.push(middle - u + w, own | bit_w);
        return;
    }
    let i = d.iamin();
    if d[i].abs() <= slant {
        s[i] = -1.0;
        let (p, a) = corner(s);
        s[i] = 1.0;
        let (q, b) = corner(s);
        return out.set_segment(p, q, [a, b]);
    }
    let (p, c) = corner(s);
    out.set_point(p, VERTEX | c)
}

/// Both sides of a triangle count as faces; the corners always run as given.
fn triangle_face(t: &[V; 3], d: &V, tilt: f64, slant: f64, out: &mut Face) {
    if let Some(n) = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0) {
        let c = n.dot(d);
        if n.cross(d).norm_squared() <= tilt * tilt {
            out.reset(FACE, if c < 0.0 { -n } else { n });
            for k in 0..3 {
                let k = if c < 0.0 { (3 - k) % 3 } else { k };
                out.push(t[k], k as u32);
            }
            return;
        }
    }
    let i = triangle_support(t, d);
    let mut flat = (slant, None);
    for j in 0..3 {
        if j != i
            && let Some(e) = unit(&(t[j] - t[i]), 0.0)
        {
            let off = e.dot(d).abs();
            if off <= flat.0 {
                flat = (off, Some(j));
            }
        }
    }
    match flat.1 {
        Some(j) => {
            let (i, j) = (i.min(j), i.max(j));
            out.set_segment(t[i], t[j], [i as u32, j as u32])
        }
        None => out.set_point(t[i], VERTEX | i as u32),
    }
}
