//! Output of a page: headings, prose, figures, tables, films and claims in the author's order.

use signorini_run::film::Attachment;

use crate::{Claim, Plot};

/// A table of text cells.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Table {
    /// Caption above it.
    pub caption: String,
    /// Column heads.
    pub head: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(caption: &str, head: &[&str]) -> Self {
        Self { caption: caption.into(), head: head.iter().map(|s| (*s).into()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|c| without_sign_of_zero(c.into())).collect());
    }
}

/// A cell whose first number is zero as it is written: without the sign that rounding left.
fn without_sign_of_zero(cell: String) -> String {
    let Some(number) = cell.strip_prefix('-') else { return cell };
    let zero = number.split(' ').next().and_then(|n| n.parse::<f64>().ok()) == Some(0.0);
    if zero { number.to_owned() } else { cell }
}

/// A picture, as a drawing of its own without axes.
#[derive(Clone, Debug)]
pub struct Picture {
    /// File name without extension.
    pub name: String,
    /// Caption below it.
    pub caption: String,
    /// SVG document.
    pub svg: String,
}

/// A motion to watch: an HTML file of its own, shown at its place.
#[derive(Clone, Debug)]
pub struct Film {
    /// File name with extension.
    pub file: String,
    /// Caption above it.
    pub caption: String,
    /// HTML document that needs no other file.
    pub html: String,
    /// Its start, middle and end.
    pub stills: Vec<Picture>,
}

/// One piece of a page.
#[derive(Clone, Debug)]
pub enum Part {
    /// Heading of all that follows, up to the next one.
    Heading(String),
    /// A paragraph; text in backticks is shown as code.
    Prose(String),
    /// A figure with axes.
    Plot(Plot),
    /// A picture; pictures in a row stand side by side.
    Picture(Picture),
    /// A table.
    Table(Table),
    /// A motion to watch.
    Film(Film),
    /// A statement that can fail; claims in a row share a table.
    Claim(Claim),
}

/// A figure without a point to draw becomes a sentence that says so.
impl From<Plot> for Part {
    fn from(p: Plot) -> Self {
        if p.shown().next().is_some() {
            Self::Plot(p)
        } else {
            Self::Prose(format!("The figure `{}` has no data: {}", p.name, p.caption))
        }
    }
}

impl From<Picture> for Part {
    fn from(p: Picture) -> Self {
        Self::Picture(p)
    }
}

impl From<Table> for Part {
    fn from(t: Table) -> Self {
        Self::Table(t)
    }
}

impl From<Film> for Part {
    fn from(f: Film) -> Self {
        Self::Film(f)
    }
}

impl From<Claim> for Part {
    fn from(c: Claim) -> Self {
        Self::Claim(c)
    }
}

/// Output of a page, a list of parts in the order in which a reader meets them.
///
/// Methods add one part each; [`Extend`] adds several plots, tables, pictures, films or claims.
#[derive(Clone, Debug, Default)]
pub struct PageOutput {
    /// Headings, prose, figures, tables, films and claims in order.
    pub parts: Vec<Part>,
    /// Time was up before all was done: a suite that resumes goes on.
    pub unfinished: bool,
    /// Number of a kept record beside that of the paper, in words, for the card of the index.
    pub recorded: Option<String>,
}

impl PageOutput {
    /// An output that begins with paragraphs: the run, with every parameter.
    pub fn new<S: Into<String>>(prose: impl IntoIterator<Item = S>) -> Self {
        let parts = prose.into_iter().map(|p| Part::Prose(p.into())).collect();
        Self { parts, ..Self::default() }
    }

    /// Begins a section.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn prose(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Prose(text.into()));
    }

    /// Adds a figure.
    pub fn plot(&mut self, plot: Plot) {
        self.parts.push(plot.into());
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }

    /// Adds a motion to watch, with its caption.
    pub fn film(&mut self, page: Attachment, caption: impl Into<String>) {
        let Attachment { file, html, stills } = page;
        let stem = file.trim_end_matches(".html");
        let stills = stills.into_iter().enumerate().map(|(i, s)| Picture {
            name: format!("{stem}_{}", i + 1),
            caption: format!("{:.2} s", s.t),
            svg: s.svg,
        });
        let stills = stills.collect();
        self.parts.push(Part::Film(Film { file, caption: caption.into(), html, stills }));
    }

    /// Adds a motion to watch with stills of the caller's choice in place of its start, middle and end.
    pub fn film_with_stills(&mut self, page: Attachment, caption: impl Into<String>, stills: Vec<Picture>) {
        let Attachment { file, html, .. } = page;
        self.parts.push(Part::Film(Film { file, caption: caption.into(), html, stills }));
    }

    /// Name of the still, figure or picture that stands for the page: the middle of the first film, else the first figure or picture.
    pub(crate) fn cover(&self) -> Option<&str> {
        fn still(p: &Part) -> Option<&str> {
            let Part::Film(f) = p else { return None };
            f.stills.get(f.stills.len() / 2).map(|p| &*p.name)
        }
        fn drawing(p: &Part) -> Option<&str> {
            match p {
                Part::Plot(p) => Some(&p.name),
                Part::Picture(p) => Some(&p.name),
                _ => None,
            }
        }
        self.parts.iter().find_map(still).or_else(|| self.parts.iter().find_map(drawing))
    }

    /// The figure that stands for the page, where no still or picture does.
    pub(crate) fn cover_plot(&self) -> Option<&Plot> {
        let cover = self.cover()?;
        self.parts.iter().find_map(|p| match p {
            Part::Plot(p) if p.name == cover => Some(p),
            _ => None,
        })
    }

    /// Names of the files of figures, pictures and films.
    pub(crate) fn files(&self) -> Vec<String> {
        let svg = |name: &str| format!("{name}.svg");
        let of = |part: &Part| match part {
            Part::Plot(p) => vec![svg(&p.name), format!("{}.json", p.name), p.narrow_file()],
            Part::Picture(p) => vec![svg(&p.name)],
            Part::Film(f) => f.stills.iter().map(|s| svg(&s.name)).chain([f.file.clone()]).collect(),
            _ => Vec::new(),
        };
        self.parts.iter().flat_map(of).chain(self.cover_plot().map(Plot::card_file)).collect()
    }

    /// Adds a statement that can fail.
    pub fn claim(&mut self, claim: Claim) {
        self.parts.push(Part::Claim(claim));
    }

    /// Adds all parts of another output.
    pub fn append(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.unfinished |= other.unfinished;
        self.recorded = self.recorded.take().or(other.recorded);
    }

    /// Claims in order.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.parts.iter().filter_map(|p| if let Part::Claim(c) = p { Some(c) } else { None })
    }

    /// Claims in order, to change.
    pub fn claims_mut(&mut self) -> impl Iterator<Item = &mut Claim> {
        self.parts.iter_mut().filter_map(|p| if let Part::Claim(c) = p { Some(c) } else { None })
    }
}

impl<T: Into<Part>> Extend<T> for PageOutput {
    fn extend<I: IntoIterator<Item = T>>(&mut self, parts: I) {
        self.parts.extend(parts.into_iter().map(Into::into));
    }
}

#[cfg(test)]
mod tests {
    use super::without_sign_of_zero;

    #[test]
    fn conformance_zeros_of_tables_have_no_sign() {
        let of = ["-0.0000", "-0.00e0 (Coulomb)", "-0.0001", "-", "0.0", "-x"];
        let expected = ["0.0000", "0.00e0 (Coulomb)", "-0.0001", "-", "0.0", "-x"];
        assert_eq!(of.map(|cell| without_sign_of_zero(cell.to_owned())), expected);
    }
}
