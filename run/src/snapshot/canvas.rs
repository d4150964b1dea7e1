//! A picture with depth: of all surfaces at a pixel the nearest is seen.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signorini_core::na::{Vector2, Vector3};

/// Pixels per side that become one of the picture.
const FINE: usize = 2;
/// Number of the background.
const NOTHING: u32 = 0;
/// Cosine of the angle between normals beyond which an edge is drawn.
const EDGE: f32 = 0.85;
/// Brightness of outlines, and of edges within a surface.
const LINES: [f32; 2] = [0.35, 0.7];

/// A place on the picture \[px\] and its distance before the eye \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub at: Vector2<f64>,
    pub away: f64,
}

/// Paint of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    /// Number of the shape, from 1 on: outlines are drawn where it changes.
    pub shape: u32,
    /// Colour, 0 to 1.
    pub rgb: [f64; 3],
    /// Unit normal.
    pub normal: Vector3<f64>,
    /// Whether every second pixel is left free.
    pub clear: bool,
}

#[derive(Clone, Copy)]
struct Pixel {
    /// Inverse of the distance \[1/m\].
    near: f32,
    shape: u32,
    rgb: [f32; 3],
    normal: [f32; 3],
}

/// Pixels of a picture that is being drawn.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Pixel>,
}

impl Canvas {
    /// An empty one of a picture's size \[px\].
    pub(super) fn new([width, height]: [usize; 2], background: [f64; 3]) -> Self {
        let (width, height) = (FINE * width, FINE * height);
        let rgb = background.map(|c| c as f32);
        let pixels = vec![Pixel { near: 0.0, shape: NOTHING, rgb, normal: [0.0; 3] }; width * height];
        Self { width, height, pixels }
    }

    /// Pixels whose middle is in a box: ranges of columns and rows.
    fn within(&self, low: Vector2<f64>, high: Vector2<f64>) -> [std::ops::Range<usize>; 2] {
        let range = |low: f64, high: f64, size: usize| {
            let first = (low - 0.5).ceil().clamp(0.0, size as f64) as usize;
            first..((high - 0.5).floor() + 1.0).clamp(first as f64, size as f64) as usize
        };
        [range(low.x, high.x, self.width), range(low.y, high.y, self.height)]
    }

    fn put(&mut self, x: usize, y: usize, near: f64, rgb: [f64; 3], paint: &Paint) {
        let pixel = &mut self.pixels[y * self.width + x];
        if near as f32 > pixel.near && !(paint.clear && (x + y) % 2 == 1) {
            let normal = [paint.normal.x, paint.normal.y, paint.normal.z].map(|c| c as f32);
            *pixel = Pixel { near: near as f32, shape: paint.shape, rgb: rgb.map(|c| c as f32), normal };
        }
    }

    /// Draws a triangle with the brightness of its corners. Inverse distances are linear on the picture.
    pub(super) fn triangle(&mut self, corners: [Seen; 3], bright: [f64; 3], paint: &Paint) {
        let [a, b, c] = corners.map(|s| s.at * FINE as f64);
        let area = (b - a).perp(&(c - a));
        if !area.is_finite() || area == 0.0 {
            return;
        }
        let near = corners.map(|s| 1.0 / s.away);
        let [columns, rows] = self.within(a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        for y in rows {
            for x in columns.clone() {
                let p = Vector2::new(x as f64 + 0.5, y as f64 + 0.5);
                let weights = [(b, c), (c, a), (a, b)].map(|(from, to)| (to - from).perp(&(p - from)) / area);
                if weights.iter().all(|w| *w >= 0.0) {
                    let mean = |values: [f64; 3]| weights.iter().zip(values).map(|(w, v)| w * v).sum::<f64>();
                    let light = mean(bright);
                    self.put(x, y, mean(near), paint.rgb.map(|c| c * light), paint);
                }
            }
        }
    }

    /// Draws a ball by its middle, its radius \[px\], its radius \[m\] and its brightness, darker towards its outline.
    pub(super) fn ball(&mut self, middle: Seen, radius: f64, depth: f64, bright: f64, paint: &Paint) {
        let (at, radius) = (middle.at * FINE as f64, radius * FINE as f64);
        let [columns, rows] = self.within(at.add_scalar(-radius), at.add_scalar(radius));
        for y in rows {
            for x in columns.clone() {
                let off = Vector2::new(x as f64 + 0.5, y as f64 + 0.5) - at;
                let height = 1.0 - off.norm_squared() / (radius * radius);
                if height >= 0.0 {
                    let height = height.sqrt();
                    let near = 1.0 / (middle.away - depth * height).max(1e-3);
                    self.put(x, y, near, paint.rgb.map(|c| c * bright * (0.7 + 0.3 * height)), paint);
                }
            }
        }
    }

    /// Darkens the nearer pixel where shapes meet, and edges of a shape.
    fn lines(&mut self) {
        let mut dark = vec![1.0_f32; self.pixels.len()];
        let pairs = [(1, 0), (0, 1)];
        for y in 0..self.height {
            for x in 0..self.width {
                for (dx, dy) in
                    pairs.into_iter().filter(|(dx, dy)| x + dx < self.width && y + dy < self.height)
                {
                    let (i, j) = (y * self.width + x, (y + dy) * self.width + x + dx);
                    let (a, b) = (&self.pixels[i], &self.pixels[j]);
                    let cosine: f32 = a.normal.iter().zip(b.normal).map(|(a, b)| a * b).sum();
                    let bright = match a.shape == b.shape {
                        false => LINES[0],
                        true if a.shape != NOTHING && cosine.abs() < EDGE => LINES[1],
                        true => continue,
                    };
                    let nearer = if a.near > b.near { i } else { j };
                    dark[nearer] = dark[nearer].min(bright);
                }
            }
        }
        for (pixel, dark) in self.pixels.iter_mut().zip(dark) {
            pixel.rgb = pixel.rgb.map(|c| c * dark);
        }
    }

    /// The shape at a place \[px\], 0 for none.
    #[cfg(test)]
    pub(super) fn shape_at(&self, [x, y]: [f64; 2]) -> u32 {
        let [x, y] = [x, y].map(|c| (c * FINE as f64) as usize);
        self.pixels[y * self.width + x].shape
    }

    /// The picture as SVG, which holds a PNG.
    pub(super) fn svg(mut self) -> String {
        self.lines();
        let (width, height) = (self.width / FINE, self.height / FINE);
        let mut bytes = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let fine = (0..FINE * FINE)
                    .map(|k| &self.pixels[(FINE * y + k / FINE) * self.width + FINE * x + k % FINE]);
                let sum = fine.fold([0.0; 3], |sum, p| [0, 1, 2].map(|c| sum[c] + p.rgb[c]));
                bytes.extend(sum.map(|c| (255.0 * (c / (FINE * FINE) as f32).clamp(0.0, 1.0)).round() as u8));
            }
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        // Writing to memory does not fail.
        let written = encoder.write_header().and_then(|mut w| w.write_image_data(&bytes));
        debug_assert!(written.is_ok(), "{written:?}");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
             <image width=\"{width}\" height=\"{height}\" href=\"data:image/png;base64,{}\"/></svg>",
            STANDARD.encode(file)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paint(shape: u32, red: f64) -> Paint {
        Paint { shape, rgb: [red, 0.0, 0.0], normal: Vector3::z(), clear: false }
    }

    fn at(x: f64, y: f64, away: f64) -> Seen {
        Seen { at: Vector2::new(x, y), away }
    }

    /// Two triangles that go through each other: the nearer one is seen on each side of their line, in any order of drawing.
    #[test]
    fn analytic_the_nearest_surface_is_seen() {
        let level = [at(0.0, 0.0, 2.0), at(20.0, 0.0, 2.0), at(0.0, 20.0, 2.0)];
        // At a third of the way from 1 m to 4 m in inverse distance, it is 2 m away: 1 − x (3/4)/20 = 1/2 at x = 13.3.
        let steep = [at(0.0, 0.0, 1.0), at(20.0, 0.0, 4.0), at(0.0, 20.0, 1.0)];
        for order in [[0, 1], [1, 0]] {
            let mut c = Canvas::new([20, 20], [1.0; 3]);
            for i in order {
                c.triangle([level, steep][i], [1.0; 3], &paint(i as u32 + 1, 0.5));
            }
            let places = [[12.0, 2.0], [14.5, 2.0], [19.0, 19.0]];
            assert_eq!(places.map(|p| c.shape_at(p)), [2, 1, NOTHING]);
        }
    }

    #[test]
    fn analytic_a_triangle_covers_its_area_and_a_ball_its_disc() {
        let mut c = Canvas::new([40, 30], [1.0; 3]);
        c.triangle([at(2.0, 3.0, 1.0), at(33.0, 5.0, 2.0), at(8.0, 29.0, 3.0)], [1.0; 3], &paint(1, 0.5));
        let covered = |c: &Canvas| c.pixels.iter().filter(|p| p.shape == 1).count() as f64 / 4.0;
        let area: f64 = 0.5 * (31.0 * 26.0 - 2.0 * 6.0);
        assert!((covered(&c) / area - 1.0).abs() < 0.02, "{} {area}", covered(&c));
        let mut c = Canvas::new([40, 30], [1.0; 3]);
        c.ball(at(20.0, 15.0, 1.0), 10.0, 0.1, 1.0, &paint(1, 0.5));
        assert!((covered(&c) / (100.0 * std::f64::consts::PI) - 1.0).abs() < 0.02, "{}", covered(&c));
        let near = c.pixels.iter().map(|p| p.near).fold(0.0, f32::max);
        assert!((near - 1.0 / 0.9).abs() < 1e-2, "{near}");
    }

    #[test]
    fn conformance_surfaces_outside_and_without_area_are_drawn_nowhere() {
        let mut c = Canvas::new([10, 10], [1.0; 3]);
        c.triangle([at(-9.0, 1.0, 1.0), at(-5.0, 2.0, 1.0), at(-6.0, 9.0, 1.0)], [1.0; 3], &paint(1, 0.5));
        c.triangle([at(1.0, 1.0, 1.0), at(5.0, 5.0, 1.0), at(9.0, 9.0, 1.0)], [1.0; 3], &paint(1, 0.5));
        c.triangle([at(f64::NAN, 1.0, 1.0), at(5.0, 5.0, 1.0), at(9.0, 9.0, 1.0)], [1.0; 3], &paint(1, 0.5));
        assert!(c.pixels.iter().all(|p| p.shape == NOTHING));
        assert!(c.svg().contains("data:image/png;base64,"));
    }
}
