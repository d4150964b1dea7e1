//! Figures as SVG, drawn with plotters.

use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use crate::PageError;

/// Drawing of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// A line.
    Line,
    /// A dashed line: theory, or the paper's value.
    Dashed,
    /// Points.
    Points,
    /// A line through points.
    LinePoints,
}

/// A curve.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// Legend; empty for none.
    pub label: String,
    /// Points (x, y).
    pub points: Vec<(f64, f64)>,
    /// Line, points or both.
    pub mark: Mark,
    /// Colour number; series with one number look alike.
    pub color: usize,
}

/// A figure with one pair of axes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// File name without extension.
    pub name: String,
    /// Caption below the figure.
    pub caption: String,
    /// Axis label with unit.
    pub x_label: String,
    /// Axis label with unit.
    pub y_label: String,
    /// Logarithmic axis.
    pub x_log: bool,
    /// Logarithmic axis.
    pub y_log: bool,
    /// Fixed range of y.
    pub y_range: Option<[f64; 2]>,
    /// A unit is as long on x as on y, for linear axes. Room to spare is on both sides.
    pub equal_scales: bool,
    /// Curves.
    pub series: Vec<Series>,
    has_closed_form: bool,
}

/// Colour number of closed forms.
const CLOSED_FORM: usize = 6;

/// Width and height of a figure, its margin, room for the labels of x and y \[px\].
const SIZE: (u32, u32) = (760, 440);
/// Size of a figure on a card, with the same shape of the area that the axes enclose.
const CARD: (u32, u32) = (360, 217);
const MARGIN: u32 = 14;
const LABELS: [u32; 2] = [48, 78];
/// Width of the legend \[px\]: per character, and beside them.
const LEGEND_WIDTH: [f64; 2] = [7.4, 50.0];
/// Height of the legend \[px\]: per entry, and beside them.
const LEGEND_HEIGHT: [f64; 2] = [19.0, 8.0];
/// Room around it \[px\].
const GAP: f64 = 6.0;
const CLOSED_FORM_LABEL: &str = "closed form";

/// Width and height of the area that the axes enclose \[px\].
const DRAWN: [f64; 2] = [(SIZE.0 - 2 * MARGIN - LABELS[1]) as f64, (SIZE.1 - 2 * MARGIN - LABELS[0]) as f64];

const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(160, 110, 60),
];

impl Plot {
    /// An empty figure with linear axes.
    pub fn new(name: &str, caption: &str, x_label: &str, y_label: &str) -> Self {
        Self {
            name: name.into(),
            caption: caption.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            x_log: false,
            y_log: false,
            y_range: None,
            equal_scales: false,
            series: Vec::new(),
            has_closed_form: false,
        }
    }

    /// Makes axes logarithmic.
    pub fn log(mut self, x: bool, y: bool) -> Self {
        self.x_log = x;
        self.y_log = y;
        self
    }

    /// Adds a curve.
    pub fn add(&mut self, label: &str, mark: Mark, points: Vec<(f64, f64)>) -> &mut Self {
        let color = self.series.len();
        self.add_colored(label, mark, color, points)
    }

    /// Adds a curve with a chosen colour number.
    pub fn add_colored(
        &mut self,
        label: &str,
        mark: Mark,
        color: usize,
        points: Vec<(f64, f64)>,
    ) -> &mut Self {
        self.series.push(Series { label: label.into(), points, mark, color });
        self
    }

    /// Adds a dashed grey curve of the closed form; all of a figure share the last entry of the legend.
    pub fn add_closed_form(&mut self, points: Vec<(f64, f64)>) -> &mut Self {
        self.has_closed_form = true;
        self.add_colored("", Mark::Dashed, CLOSED_FORM, points)
    }

    /// Points that lie on the axes.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(|s| s.points.iter().copied()).filter(|p| self.visible(*p))
    }

    fn visible(&self, (x, y): (f64, f64)) -> bool {
        self.drawable((x, y)) && self.y_range.is_none_or(|[a, b]| (a..=b).contains(&y))
    }

    fn drawable(&self, (x, y): (f64, f64)) -> bool {
        x.is_finite() && y.is_finite() && (!self.x_log || x > 0.0) && (!self.y_log || y > 0.0)
    }

    /// The parts of a line within the range.
    fn runs(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let drawable: Vec<_> = points.iter().copied().filter(|p| self.drawable(*p)).collect();
        let Some([low, high]) = self.y_range else { return vec![drawable] };
        let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut open = false;
        for (p, q) in drawable.iter().zip(drawable.iter().skip(1)) {
            // Where the line from p to q crosses a bound, as a part of it.
            let cross = |bound: f64| (bound - p.1) / (q.1 - p.1);
            let at = |w: f64| (p.0 + w * (q.0 - p.0), p.1 + w * (q.1 - p.1));
            let bounds = if p.1 == q.1 { [0.0, 1.0] } else { [cross(low), cross(high)] };
            let from = bounds[0].min(bounds[1]).max(0.0);
            let to = bounds[0].max(bounds[1]).min(1.0);
            if from > to || p.1.max(q.1) < low || p.1.min(q.1) > high {
                open = false;
                continue;
            }
            match runs.last_mut().filter(|_| open && from == 0.0) {
                Some(run) => run.push(at(to)),
                None => runs.push(vec![at(from), at(to)]),
            }
            open = to == 1.0;
        }
        runs
    }

    fn range(values: impl Iterator<Item = f64>, log: bool) -> std::ops::Range<f64> {
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if lo > hi {
            return if log { 0.1..10.0 } else { 0.0..1.0 };
        }
        if log {
            return lo / 1.5..hi * 1.5;
        }
        let pad = if hi > lo { 0.05 * (hi - lo) } else { 0.05 * hi.abs().max(1.0) };
        lo - pad..hi + pad
    }

    /// Ranges that the axes show.
    fn ranges(&self) -> (std::ops::Range<f64>, std::ops::Range<f64>) {
        let x = Self::range(self.shown().map(|p| p.0), self.x_log);
        let y = match self.y_range {
            Some([a, b]) => a..b,
            None => Self::range(self.shown().map(|p| p.1), self.y_log),
        };
        if !self.equal_scales {
            return (x, y);
        }
        let unit = ((x.end - x.start) / DRAWN[0]).max((y.end - y.start) / DRAWN[1]);
        let about = |r: &std::ops::Range<f64>, pixels: f64| {
            let (middle, half) = (0.5 * (r.start + r.end), 0.5 * unit * pixels);
            middle - half..middle + half
        };
        (about(&x, DRAWN[0]), about(&y, DRAWN[1]))
    }

    /// The legend: inside where it covers nothing, beside the axes otherwise, by which the figure is wider.
    fn legend(&self) -> Option<Legend> {
        let closed = self.has_closed_form.then(|| Entry {
            label: CLOSED_FORM_LABEL.to_owned(),
            mark: Mark::Dashed,
            color: CLOSED_FORM,
            radius: 0,
        });
        let own = self.series.iter().filter(|s| !s.label.is_empty() && !s.points.is_empty());
        let own =
            own.map(|s| Entry { label: s.label.clone(), mark: s.mark, color: s.color, radius: marker(s) });
        let entries: Vec<Entry> = own.chain(closed).collect();
        let longest = entries.iter().map(|e| e.label.chars().count()).max()?;
        let size = [
            LEGEND_WIDTH[0] * longest as f64 + LEGEND_WIDTH[1],
            LEGEND_HEIGHT[0] * entries.len() as f64 + LEGEND_HEIGHT[1],
        ];
        let points = self.pixels();
        let covers = |[left, top]: &[f64; 2]| {
            let over = |p: &[f64; 2]| {
                (*left..left + size[0]).contains(&p[0]) && (*top..top + size[1]).contains(&p[1])
            };
            points.iter().any(over)
        };
        let (left, right) = (GAP, DRAWN[0] - size[0] - GAP);
        let (upper, middle, lower) = (GAP, 0.5 * (DRAWN[1] - size[1]), DRAWN[1] - size[1] - GAP);
        let places =
            [[right, upper], [left, upper], [right, lower], [left, lower], [right, middle], [left, middle]];
        let free = places.into_iter().find(|p| !covers(p));
        let wider = if free.is_some() { 0 } else { size[0] as u32 };
        Some(Legend { entries, at: free.unwrap_or([DRAWN[0] + GAP, 0.0]), size, wider })
    }

    /// Places of curves and points, in pixels from the upper left corner of the axes; lines every few pixels.
    fn pixels(&self) -> Vec<[f64; 2]> {
        let (x, y) = self.ranges();
        let part = |v: f64, r: &std::ops::Range<f64>, log: bool| {
            let scale = |v: f64| if log { v.ln() } else { v };
            (scale(v) - scale(r.start)) / (scale(r.end) - scale(r.start))
        };
        let at = |p: &(f64, f64)| {
            [DRAWN[0] * part(p.0, &x, self.x_log), DRAWN[1] * (1.0 - part(p.1, &y, self.y_log))]
        };
        let mut out = Vec::new();
        for s in &self.series {
            let runs = if s.mark == Mark::Points { Vec::new() } else { self.runs(&s.points) };
            out.extend(s.points.iter().filter(|p| self.visible(**p)).map(at));
            for pair in runs.iter().flat_map(|r| r.windows(2)) {
                let [from, to] = [at(&pair[0]), at(&pair[1])];
                let way = [to[0] - from[0], to[1] - from[1]];
                let pieces = (way[0].hypot(way[1]) / 4.0).ceil().max(1.0);
                out.extend(
                    (0..pieces as u32).map(|i| [0, 1].map(|a| from[a] + way[a] * f64::from(i) / pieces)),
                );
            }
        }
        out
    }

    /// The figure as an SVG document.
    ///
    /// # Errors
    /// When the drawing backend fails.
    pub fn to_svg(&self) -> Result<String, PageError> {
        self.laid_out(Layout { size: SIZE, labels: 10, decades: 12, legend: self.legend() })
    }

    /// The figure for a card of the index: smaller, with few labels and without legend, so that text can be read.
    ///
    /// # Errors
    /// When the drawing backend fails.
    pub(crate) fn to_card(&self) -> Result<String, PageError> {
        self.laid_out(Layout { size: CARD, labels: 4, decades: 5, legend: None })
    }

    /// File name of the figure for a card.
    pub(crate) fn card_file(&self) -> String {
        format!("{}_card.svg", self.name)
    }

    fn laid_out(&self, layout: Layout) -> Result<String, PageError> {
        let (xr, yr) = self.ranges();
        let decades = layout.decades;
        let log_axis = |r| log_axis(r, decades);
        match (self.x_log, self.y_log) {
            (false, false) => self.draw(xr, yr, layout),
            (true, false) => self.draw(log_axis(xr), yr, layout),
            (false, true) => self.draw(xr, log_axis(yr), layout),
            (true, true) => self.draw(log_axis(xr), log_axis(yr), layout),
        }
    }

    fn draw<X, Y>(&self, xr: X, yr: Y, layout: Layout) -> Result<String, PageError>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let mut svg = String::new();
        {
            let wide = layout.size.0 + layout.wider();
            let root = SVGBackend::with_string(&mut svg, (wide, layout.size.1)).into_drawing_area();
            self.draw_on(&root, xr, yr, layout).map_err(PageError::from_error)?;
            root.present().map_err(PageError::from_error)?;
        }
        Ok(svg)
    }

    fn draw_on<X, Y>(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        xr: X,
        yr: Y,
        layout: Layout,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let err = |e: DrawingAreaErrorKind<_>| -> Box<dyn std::error::Error> { e.to_string().into() };
        root.fill(&WHITE).map_err(err)?;
        let extent = |f: &dyn Fn(&(f64, f64)) -> f64| {
            self.shown().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(f(&p)), b.max(f(&p))))
        };
        let ((x0, x1), (y0, y1)) = (extent(&|p| p.0), extent(&|p| p.1));
        // On a linear axis a value that is zero but for round-off is labelled so.
        let label = |v: f64, log: bool, a: f64, b: f64| {
            if !log && v.abs() < 1e-9 * (b - a) { "0".into() } else { tick(v) }
        };
        let mut chart = ChartBuilder::on(root)
            .margin(MARGIN)
            .margin_right(MARGIN + layout.wider())
            .x_label_area_size(LABELS[0])
            .y_label_area_size(LABELS[1])
            .build_cartesian_2d(xr, yr)
            .map_err(err)?;
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", layout.letters(&self.y_label)))
            .x_labels(layout.labels)
            .y_labels(layout.labels)
            .x_max_light_lines(5)
            .y_max_light_lines(5)
            .x_label_formatter(&|v| label(*v, self.x_log, x0, x1))
            .y_label_formatter(&|v| label(*v, self.y_log, y0, y1))
            .light_line_style(RGBColor(242, 242, 242))
            .bold_line_style(RGBColor(222, 222, 222))
            .draw()
            .map_err(err)?;
        for s in &self.series {
            let color = PALETTE[s.color % PALETTE.len()];
            let points: Vec<_> = s.points.iter().copied().filter(|p| self.visible(*p)).collect();
            let line = color.stroke_width(2);
            if matches!(s.mark, Mark::Points | Mark::LinePoints) {
                // A curve under another one shows as a rim.
                let radius = if points.len() > 80 { 2 } else { marker(s) };
                let dots = points.iter().map(|p| Circle::new(*p, radius, color.filled()));
                chart.draw_series(dots).map_err(err)?;
            }
            let runs = if s.mark == Mark::Points { Vec::new() } else { self.runs(&s.points) };
            for run in runs {
                if s.mark == Mark::Dashed {
                    chart.draw_series(DashedLineSeries::new(run, 7, 5, line)).map_err(err)?;
                } else {
                    chart.draw_series(LineSeries::new(run, line)).map_err(err)?;
                }
            }
        }
        match layout.legend {
            Some(legend) => legend.draw(root).map_err(err),
            None => Ok(()),
        }
    }
}

/// How a figure is laid out.
struct Layout {
    /// Width without a legend beside the axes, and height \[px\].
    size: (u32, u32),
    /// Most labels of a linear axis.
    labels: usize,
    /// Most labels of decades.
    decades: i32,
    legend: Option<Legend>,
}

impl Layout {
    /// Width that the figure gains by its legend \[px\].
    fn wider(&self) -> u32 {
        self.legend.as_ref().map_or(0, |l| l.wider)
    }

    /// Size of letters \[px\] at which the name of the upright axis is no longer than the figure is high: a letter is about half as wide as it is high.
    fn letters(&self, name: &str) -> u32 {
        (2 * self.size.1 / (name.chars().count().max(1) as u32 + 5)).min(15)
    }
}

/// One curve in the legend.
struct Entry {
    label: String,
    mark: Mark,
    /// Colour number.
    color: usize,
    /// Radius of its marks \[px\].
    radius: i32,
}

/// Names of the curves, in a box.
struct Legend {
    entries: Vec<Entry>,
    /// Upper left corner from that of the axes, and its size \[px\].
    at: [f64; 2],
    size: [f64; 2],
    /// Width that the figure gains by it \[px\].
    wider: u32,
}

impl Legend {
    fn draw<'a>(
        &self,
        root: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>> {
        let corner = [(MARGIN + LABELS[1]) as f64 + self.at[0], MARGIN as f64 + self.at[1]].map(|x| x as i32);
        let far = [0, 1].map(|a| corner[a] + self.size[a] as i32);
        let frame = [(corner[0], corner[1]), (far[0], far[1])];
        root.draw(&Rectangle::new(frame, WHITE.mix(0.85).filled()))?;
        root.draw(&Rectangle::new(frame, RGBColor(200, 200, 200).stroke_width(1)))?;
        for (k, Entry { label, mark, color, radius }) in self.entries.iter().enumerate() {
            let color = PALETTE[color % PALETTE.len()];
            let y = corner[1] + (0.5 * LEGEND_HEIGHT[1] + LEGEND_HEIGHT[0] * (k as f64 + 0.5)) as i32;
            let from = corner[0] + 10;
            let dashes: &[(i32, i32)] = match mark {
                Mark::Points => &[],
                Mark::Dashed => &[(0, 9), (13, 22)],
                Mark::Line | Mark::LinePoints => &[(0, 22)],
            };
            for (a, b) in dashes {
                root.draw(&PathElement::new(vec![(from + a, y), (from + b, y)], color.stroke_width(2)))?;
            }
            if matches!(mark, Mark::Points | Mark::LinePoints) {
                root.draw(&Circle::new((from + 11, y), *radius, color.filled()))?;
            }
            root.draw(&Text::new(label.as_str(), (from + 30, y - 7), ("sans-serif", 14)))?;
        }
        Ok(())
    }
}

/// A logarithmic axis with a label per decade, at most `decades` of them, on short ones at 1, 2 and 5; light lines between.
fn log_axis(r: std::ops::Range<f64>, decades: i32) -> WithKeyPoints<LogCoord<f64>> {
    let (first, last) = (r.start.log10().floor() as i32, r.end.log10().ceil() as i32);
    let at = |m: u8, e: i32| f64::from(m) * 10_f64.powi(e);
    let every = (last - first) / decades + 1;
    let mantissas: &[u8] = match r.end / r.start {
        ratio if ratio < 5.0 => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        ratio if ratio < 200.0 => &[1, 2, 5],
        _ => &[1],
    };
    let inside = |v: &f64| r.contains(v);
    let decades = || (first..=last).filter(|e| e.rem_euclid(every) == 0);
    let bold: Vec<f64> =
        decades().flat_map(|e| mantissas.iter().map(move |m| at(*m, e))).filter(inside).collect();
    let light: Vec<f64> = match every {
        1 => (first..=last).flat_map(|e| (2..10).map(move |m| at(m, e))).filter(inside).collect(),
        _ => (first..=last).map(|e| at(1, e)).filter(inside).collect(),
    };
    r.log_scale().with_key_points(bold).with_light_points(light)
}

/// Radius of a curve's marks \[px\]: smaller for later ones.
fn marker(s: &Series) -> i32 {
    (6 - s.color as i32).clamp(2, 6)
}

fn tick(v: f64) -> String {
    crate::claim::number(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_equal_scales_show_all_with_units_of_one_length() {
        for (wide, high) in [(1.0, 1.0), (10.0, 1.0), (0.1, 3.0)] {
            let mut plot = Plot::new("p", "", "x", "y");
            plot.equal_scales = true;
            plot.add("", Mark::Points, vec![(-wide, -high), (wide, high)]);
            let (x, y) = plot.ranges();
            let units = [(x.end - x.start) / DRAWN[0], (y.end - y.start) / DRAWN[1]];
            // Round-off of a few sums.
            assert!((units[0] - units[1]).abs() < 1e-12 * units[0], "{units:?}");
            assert!(x.contains(&-wide) && x.contains(&wide) && y.contains(&-high) && y.contains(&high));
        }
    }
}
