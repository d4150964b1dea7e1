//! Sizes, axis names and legends of figures.

use plotters::prelude::*;

/// Margin of a figure, and room for the labels of x and y \[px\].
pub(crate) const MARGIN: u32 = 14;
pub(crate) const LABELS: [u32; 2] = [48, 78];
/// Room for the numbers of x and y alone \[px\].
const NUMBERS: [u32; 2] = [26, 58];
/// Width of a figure on a card, and of one for narrow screens \[px\].
const CARD: u32 = 330;
const NARROW: u32 = 400;
/// Size of letters, width of one and height of a line \[px\].
const LETTERS: u32 = 14;
pub(crate) const LETTER: f64 = 7.4;
const LINE: u32 = 19;
/// Width of the legend beside its letters, and height beside its lines \[px\].
const FRAME: [f64; 2] = [50.0, 8.0];

pub(crate) const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(160, 110, 60),
];

type Root<'a, 'b> = &'a DrawingArea<SVGBackend<'b>, plotters::coord::Shift>;
type Drawn<'b> = Result<(), DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>>;

/// Lines of at most so many letters; a longer word has a line of its own.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Names of axes in lines above and below them, for figures too small for an upright name.
pub(crate) struct Names {
    x: Vec<String>,
    y: Vec<String>,
}

/// How a figure is laid out \[px\].
pub(crate) struct Layout {
    /// Width and height.
    pub size: (u32, u32),
    /// Margins above, below and to the right of axes with their numbers.
    pub margins: [u32; 3],
    /// Room for the labels of x and y.
    pub labels: [u32; 2],
    /// Most labels of a linear axis, and of decades.
    pub most: (usize, i32),
    /// Names that stand in lines of their own; none where they stand along the axes.
    pub names: Option<Names>,
    /// The legend and its upper left corner.
    pub legend: Option<(Legend, [f64; 2])>,
}

impl Layout {
    /// A figure of this size with names along its axes; `legend` at a place from the upper left corner of the axes, `wider` by the width that it takes beside them.
    pub(crate) fn whole(size: (u32, u32), legend: Option<(Legend, [f64; 2])>, wider: u32) -> Self {
        let corner = [(MARGIN + LABELS[1]) as f64, MARGIN as f64];
        Self {
            size: (size.0 + wider, size.1),
            margins: [MARGIN, MARGIN, MARGIN + wider],
            labels: LABELS,
            most: (10, 12),
            names: None,
            legend: legend.map(|(l, at)| (l, [0, 1].map(|a| corner[a] + at[a]))),
        }
    }

    /// A figure for a card, without legend.
    pub(crate) fn card(names: [&str; 2], shape: f64) -> Self {
        Self::stacked(CARD, names, shape, None)
    }

    /// A figure for narrow screens, with its legend below.
    pub(crate) fn narrow(names: [&str; 2], shape: f64, entries: Vec<Entry>) -> Self {
        Self::stacked(NARROW, names, shape, Some(entries))
    }

    /// Name of y, axes `shape` times as wide as high, name of x and legend, one below the other.
    fn stacked(width: u32, names: [&str; 2], shape: f64, entries: Option<Vec<Entry>>) -> Self {
        let letters = (f64::from(width - 2 * MARGIN) / LETTER) as usize;
        let [x, y] = names.map(|n| wrapped(n, letters));
        let high = (f64::from(width - 2 * MARGIN - NUMBERS[1]) / shape) as u32;
        let above = MARGIN / 2 + LINE * y.len() as u32 + 8;
        let axes = above + high + NUMBERS[0];
        let below = LINE * x.len() as u32 + MARGIN / 2;
        let legend = entries.filter(|e| !e.is_empty()).map(|mut entries| {
            let letters = letters - (FRAME[0] / LETTER) as usize;
            entries.iter_mut().for_each(|e| e.lines = wrapped(&e.label, letters));
            (Legend { entries }, [f64::from(MARGIN), f64::from(axes + below)])
        });
        let rest = legend.as_ref().map_or(0, |l| l.0.size()[1] as u32 + MARGIN / 2);
        Self {
            size: (width, axes + below + rest),
            margins: [above, below + rest, MARGIN],
            labels: NUMBERS,
            most: (4, 5),
            names: Some(Names { x, y }),
            legend,
        }
    }

    /// Size of letters \[px\] at which the name of the upright axis is no longer than the figure is high: a letter is about half as wide as it is high.
    pub(crate) fn letters(&self, name: &str) -> u32 {
        (2 * self.size.1 / (name.chars().count().max(1) as u32 + 5)).min(LETTERS + 1)
    }

    /// Draws names and legend.
    pub(crate) fn draw<'b>(&self, root: Root<'_, 'b>) -> Drawn<'b> {
        if let Some(Names { x, y }) = &self.names {
            let legend = self.legend.as_ref().map_or(self.size.1 as i32, |l| l.1[1] as i32);
            let below = legend - (LINE * x.len() as u32 + MARGIN / 2) as i32;
            let left = (MARGIN / 2) as i32;
            lines(root, y, left, left)?;
            lines(root, x, (self.labels[1] + MARGIN) as i32 / 2, below)?;
        }
        self.legend.as_ref().map_or(Ok(()), |(legend, at)| legend.draw(root, at.map(|x| x as i32)))
    }
}

/// Draws lines of text from their upper left corner on.
fn lines<'b>(root: Root<'_, 'b>, text: &[String], left: i32, top: i32) -> Drawn<'b> {
    for (k, line) in text.iter().enumerate() {
        let at = (left, top + LINE as i32 * k as i32);
        root.draw(&Text::new(line.as_str(), at, ("sans-serif", LETTERS)))?;
    }
    Ok(())
}

/// Mark of a curve in the legend, and on its points \[px\].
#[derive(Clone, Copy)]
pub(crate) enum Dot {
    None,
    /// Radius.
    Disc(i32),
    /// Half the side of an open black square: numbers of the paper.
    Square(i32),
}

/// One curve in the legend.
pub(crate) struct Entry {
    label: String,
    /// Its label as it stands.
    lines: Vec<String>,
    /// Beginnings and ends of the pieces of its line \[px\].
    dashes: &'static [(i32, i32)],
    /// Colour number.
    color: usize,
    dot: Dot,
}

impl Entry {
    /// The label in one line.
    pub(crate) fn new(label: &str, dashes: &'static [(i32, i32)], color: usize, dot: Dot) -> Self {
        Self { label: label.to_owned(), lines: vec![label.to_owned()], dashes, color, dot }
    }
}

#[cfg(test)]
impl Entry {
    /// The whole label.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }
}

/// Names of the curves, in a box.
pub(crate) struct Legend {
    pub entries: Vec<Entry>,
}

impl Legend {
    /// Width and height \[px\].
    pub(crate) fn size(&self) -> [f64; 2] {
        let lines = || self.entries.iter().flat_map(|e| &e.lines);
        let longest = lines().map(|l| l.chars().count()).max().unwrap_or(0);
        [LETTER * longest as f64 + FRAME[0], f64::from(LINE) * lines().count() as f64 + FRAME[1]]
    }

    fn draw<'b>(&self, root: Root<'_, 'b>, corner: [i32; 2]) -> Drawn<'b> {
        let size = self.size();
        let far = [0, 1].map(|a| corner[a] + size[a] as i32);
        let frame = [(corner[0], corner[1]), (far[0], far[1])];
        root.draw(&Rectangle::new(frame, WHITE.mix(0.85).filled()))?;
        root.draw(&Rectangle::new(frame, RGBColor(200, 200, 200).stroke_width(1)))?;
        let (from, mut top) = (corner[0] + 10, corner[1] + (0.5 * FRAME[1]) as i32);
        for Entry { lines: label, dashes, color, dot, .. } in &self.entries {
            let color = PALETTE[color % PALETTE.len()];
            let y = top + LINE as i32 / 2;
            for (a, b) in *dashes {
                root.draw(&PathElement::new(vec![(from + a, y), (from + b, y)], color.stroke_width(2)))?;
            }
            let middle = from + 11;
            match *dot {
                Dot::None => {}
                Dot::Disc(radius) => root.draw(&Circle::new((middle, y), radius, color.filled()))?,
                Dot::Square(half) => {
                    let corners = [(middle - half, y - half), (middle + half, y + half)];
                    root.draw(&Rectangle::new(corners, BLACK.stroke_width(2)))?;
                }
            }
            lines(root, label, from + 30, y - 7)?;
            top += (LINE * label.len() as u32) as i32;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conformance_names_are_wrapped_between_words() {
        assert_eq!(wrapped("time of a step [ms]", 9), ["time of a", "step [ms]"]);
        assert_eq!(wrapped("penetration", 4), ["penetration"]);
        assert!(wrapped("", 4).is_empty());
    }

    #[test]
    fn conformance_a_narrow_figure_has_room_for_names_and_legend() {
        let long = "largest speed in the last half second, when the cube is at rest on the plane [m/s]";
        let entry = || Entry::new(long, &[(0, 22)], 0, Dot::None);
        let plain = Layout::card(["t [s]", "z [m]"], 1.8);
        let named = Layout::card(["t [s]", long], 1.8);
        assert_eq!(named.size.1, plain.size.1 + 2 * LINE);
        let narrow = Layout::narrow(["t [s]", long], 1.8, vec![entry(), entry()]);
        let (legend, at) = narrow.legend.as_ref().map(|(l, at)| (l.size(), *at)).unwrap_or_default();
        assert!(at[0] + legend[0] <= f64::from(narrow.size.0), "{legend:?}");
        assert!(at[1] + legend[1] <= f64::from(narrow.size.1));
        assert!(legend[1] >= 4.0 * f64::from(LINE), "two entries of two lines and more");
    }
}
