//! Figures as SVG, drawn with plotters.

use plotters::coord::combinators::WithKeyPoints;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use crate::PageError;
use crate::plot_layout::{Dot, Entry, LABELS, Layout, Legend, MARGIN, PALETTE};

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
    /// Numbers that the paper published: open black squares.
    Paper,
}

impl Mark {
    /// Whether points have a line through them.
    fn has_line(self) -> bool {
        !matches!(self, Self::Points | Self::Paper)
    }
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

/// Width and height of a figure \[px\].
const SIZE: (u32, u32) = (760, 440);
/// Room around it \[px\].
const GAP: f64 = 6.0;
const CLOSED_FORM_LABEL: &str = "closed form";
const PAPER_LABEL: &str = "paper";
/// Room that marks take around their points \[px\].
const DOT: f64 = 6.0;
/// Half the side of the paper's squares \[px\].
const SQUARE: i32 = 5;

/// Width and height of the area that the axes enclose \[px\].
const DRAWN: [f64; 2] = [(SIZE.0 - 2 * MARGIN - LABELS[1]) as f64, (SIZE.1 - 2 * MARGIN - LABELS[0]) as f64];

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

    /// Adds numbers that the paper published, with the legend "paper" and what the label adds to it.
    pub fn add_paper(&mut self, label: &str, points: Vec<(f64, f64)>) -> &mut Self {
        let label = [PAPER_LABEL, label].into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join(", ");
        self.add_colored(&label, Mark::Paper, 0, points)
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

    /// Curves that the legend names.
    fn entries(&self) -> Vec<Entry> {
        let look = |s: &Series| (s.label.clone(), s.mark, s.color);
        let mut seen = Vec::new();
        let own = self.series.iter().filter(|s| !s.label.is_empty() && !s.points.is_empty());
        let own = own.filter(|s| {
            let new = !seen.contains(&look(s));
            seen.push(look(s));
            new
        });
        let own: Vec<Entry> =
            own.map(|s| Entry::new(&s.label, dashes(s.mark), s.color, self.dot(s))).collect();
        let closed = self
            .has_closed_form
            .then(|| Entry::new(CLOSED_FORM_LABEL, dashes(Mark::Dashed), CLOSED_FORM, Dot::None));
        own.into_iter().chain(closed).collect()
    }

    /// The whole figure, its legend inside where it covers nothing, beside the axes otherwise, by which the figure is wider.
    fn layout(&self) -> Layout {
        let legend = Legend { entries: self.entries() };
        if legend.entries.is_empty() {
            return Layout::whole(SIZE, None, 0);
        }
        let size = legend.size();
        let points = self.pixels();
        let covers = |[left, top]: &[f64; 2]| {
            let over = |p: &[f64; 2]| {
                let within = |a: usize, low: f64| (low - DOT..low + size[a] + DOT).contains(&p[a]);
                within(0, *left) && within(1, *top)
            };
            points.iter().any(over)
        };
        let (left, right) = (GAP, DRAWN[0] - size[0] - GAP);
        let (upper, middle, lower) = (GAP, 0.5 * (DRAWN[1] - size[1]), DRAWN[1] - size[1] - GAP);
        let places =
            [[right, upper], [left, upper], [right, lower], [left, lower], [right, middle], [left, middle]];
        match places.into_iter().find(|p| !covers(p)) {
            Some(at) => Layout::whole(SIZE, Some((legend, at)), 0),
            None => Layout::whole(SIZE, Some((legend, [DRAWN[0] + GAP, 0.0])), size[0] as u32),
        }
    }

    /// Marks of a curve.
    fn dot(&self, s: &Series) -> Dot {
        match s.mark {
            Mark::Line | Mark::Dashed => Dot::None,
            Mark::Points | Mark::LinePoints => Dot::Disc(self.marker(s)),
            Mark::Paper => Dot::Square(SQUARE),
        }
    }

    /// Radius of a curve's marks \[px\]: smaller for later ones, so that a curve under another one shows as a rim, and for many.
    fn marker(&self, s: &Series) -> i32 {
        let shown = s.points.iter().filter(|p| self.visible(**p)).count();
        if shown > 80 { 2 } else { (6 - s.color as i32).clamp(3, 6) }
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
            let runs = if s.mark.has_line() { self.runs(&s.points) } else { Vec::new() };
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
        self.laid_out(&self.layout())
    }

    /// The figure for a card of the index: small, with few labels and without legend, so that text can be read.
    ///
    /// # Errors
    /// When the drawing backend fails.
    pub(crate) fn to_card(&self) -> Result<String, PageError> {
        self.laid_out(&Layout::card([&self.x_label, &self.y_label], DRAWN[0] / DRAWN[1]))
    }

    /// The figure for narrow screens, with its legend below the axes.
    ///
    /// # Errors
    /// When the drawing backend fails.
    pub(crate) fn to_narrow(&self) -> Result<String, PageError> {
        self.laid_out(&Layout::narrow([&self.x_label, &self.y_label], DRAWN[0] / DRAWN[1], self.entries()))
    }

    /// File name of the figure for narrow screens.
    pub(crate) fn narrow_file(&self) -> String {
        format!("{}_narrow.svg", self.name)
    }

    /// File name of the figure for a card.
    pub(crate) fn card_file(&self) -> String {
        format!("{}_card.svg", self.name)
    }

    fn laid_out(&self, layout: &Layout) -> Result<String, PageError> {
        let (xr, yr) = self.ranges();
        let decades = layout.most.1;
        let log_axis = |r| log_axis(r, decades);
        match (self.x_log, self.y_log) {
            (false, false) => self.draw(xr, yr, layout),
            (true, false) => self.draw(log_axis(xr), yr, layout),
            (false, true) => self.draw(xr, log_axis(yr), layout),
            (true, true) => self.draw(log_axis(xr), log_axis(yr), layout),
        }
    }

    fn draw<X, Y>(&self, xr: X, yr: Y, layout: &Layout) -> Result<String, PageError>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, layout.size).into_drawing_area();
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
        layout: &Layout,
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
        let [above, below, right] = layout.margins;
        // Names in lines of their own are drawn with the legend.
        let along = |name: &str| if layout.names.is_some() { String::new() } else { name.to_owned() };
        let mut chart = ChartBuilder::on(root)
            .margin_left(MARGIN)
            .margin_top(above)
            .margin_bottom(below)
            .margin_right(right)
            .x_label_area_size(layout.labels[0])
            .y_label_area_size(layout.labels[1])
            .build_cartesian_2d(xr, yr)
            .map_err(err)?;
        chart
            .configure_mesh()
            .x_desc(along(&self.x_label))
            .y_desc(along(&self.y_label))
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", layout.letters(&self.y_label)))
            .x_labels(layout.most.0)
            .y_labels(layout.most.0)
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
            match self.dot(s) {
                Dot::None => {}
                Dot::Disc(radius) => {
                    let dots = points.iter().map(|p| Circle::new(*p, radius, color.filled()));
                    chart.draw_series(dots).map_err(err)?;
                }
                Dot::Square(half) => {
                    let around = [(-half, -half), (half, half)];
                    let square =
                        |p: &(f64, f64)| EmptyElement::at(*p) + Rectangle::new(around, BLACK.stroke_width(2));
                    chart.draw_series(points.iter().map(square)).map_err(err)?;
                }
            }
            let runs = if s.mark.has_line() { self.runs(&s.points) } else { Vec::new() };
            for run in runs {
                if s.mark == Mark::Dashed {
                    chart.draw_series(DashedLineSeries::new(run, 7, 5, line)).map_err(err)?;
                } else {
                    chart.draw_series(LineSeries::new(run, line)).map_err(err)?;
                }
            }
        }
        layout.draw(root).map_err(err)
    }
}

/// Beginnings and ends of the pieces of a line in the legend \[px\].
fn dashes(mark: Mark) -> &'static [(i32, i32)] {
    match mark {
        Mark::Points | Mark::Paper => &[],
        Mark::Dashed => &[(0, 9), (13, 22)],
        Mark::Line | Mark::LinePoints => &[(0, 22)],
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

fn tick(v: f64) -> String {
    crate::claim::number(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conformance_the_legend_names_each_look_once() {
        let mut plot = Plot::new("p", "", "x", "y");
        for k in [0.0, 1.0] {
            plot.add_colored("ours", Mark::Line, 0, vec![(0.0, k), (1.0, k + 1.0)]);
        }
        plot.add_colored("ours", Mark::Points, 1, vec![(0.5, 0.5)]);
        plot.add_paper("Table 1", vec![(0.2, 1.5)]).add_paper("", vec![(0.3, 1.5)]);
        let labels: Vec<String> = plot.entries().into_iter().map(|e| e.label().to_owned()).collect();
        assert_eq!(labels, ["ours", "ours", "paper, Table 1", "paper"]);
    }

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
