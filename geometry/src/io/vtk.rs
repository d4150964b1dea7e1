//! Legacy VTK files of tetrahedra.

use signorini_core::na::Point3;

use super::Refusal;

/// Type of tetrahedra among the cells of VTK.
const TETRAHEDRON: u64 = 10;

/// Words of a file, with the numbers of their lines.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
    rest: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    /// The next word, on whichever line.
    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.rest.next() {
                return Some(word);
            }
            self.line()?;
        }
    }

    /// Goes to the next line and returns it.
    fn line(&mut self) -> Option<&'a str> {
        let (i, text) = self.lines.next()?;
        self.line = i + 1;
        self.rest = text.split_ascii_whitespace();
        Some(text)
    }

    fn refusal(&self, reason: impl Into<String>) -> Refusal {
        Refusal::line(self.line, reason)
    }

    /// The next word as a number; `what` it is.
    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Refusal> {
        let Some(word) = self.next() else {
            return Err(self.refusal(format!("the file ends where {what} is expected")));
        };
        word.parse().map_err(|_| {
            let word: String = word.chars().take(40).collect();
            self.refusal(format!("`{word}` where {what} is expected"))
        })
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Refusal> {
        match self.next() {
            Some(word) if word.eq_ignore_ascii_case(wanted) => Ok(()),
            Some(word) => {
                let word: String = word.chars().take(40).collect();
                Err(self.refusal(format!("`{word}` where {wanted} is expected")))
            }
            None => Err(self.refusal(format!("the file ends where {wanted} is expected"))),
        }
    }
}

/// Vertices and tetrahedra, as a file lists them.
pub(super) type Solid = (Vec<Point3<f64>>, Vec<[u32; 4]>);

/// Reads an unstructured grid of tetrahedra from a legacy ASCII file, of versions 1 to 5. Data of points and cells are passed over.
pub(super) fn parse(bytes: &[u8]) -> Result<Solid, Refusal> {
    // titles may be in any encoding; numbers are ASCII
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words { lines: text.lines().enumerate(), line: 1, rest: "".split_ascii_whitespace() };
    if !words.line().is_some_and(|l| l.trim_start().starts_with("# vtk DataFile")) {
        return Err(words.refusal("the first line of a legacy VTK file is `# vtk DataFile Version 3.0`"));
    }
    // The title, then the third line.
    words.line();
    words.line();
    match words.next() {
        Some(w) if w.eq_ignore_ascii_case("ASCII") => {}
        Some(w) if w.eq_ignore_ascii_case("BINARY") => {
            return Err(words.refusal("binary data are not read; save the file as ASCII"));
        }
        _ => return Err(words.refusal("the third line is not ASCII")),
    }
    words.expect("DATASET")?;
    match words.next() {
        Some(w) if w.eq_ignore_ascii_case("UNSTRUCTURED_GRID") => {}
        other => {
            let kind: String = other.unwrap_or("nothing").chars().take(40).collect();
            return Err(words
                .refusal(format!("the data set is {kind}; a solid of tetrahedra is an UNSTRUCTURED_GRID")));
        }
    }
    let mut points: Option<Vec<Point3<f64>>> = None;
    let mut cells: Option<Vec<(Vec<u64>, usize)>> = None;
    let mut types: Option<Vec<(u64, usize)>> = None;
    while let Some(word) = words.next() {
        match word.to_ascii_uppercase().as_str() {
            "POINTS" => points = Some(read_points(&mut words)?),
            "CELLS" => cells = Some(read_cells(&mut words)?),
            "CELL_TYPES" => {
                let count: usize = words.number("the number of cells")?;
                let mut all = Vec::new();
                for _ in 0..count {
                    all.push((words.number("the type of a cell")?, words.line));
                }
                types = Some(all);
            }
            // Until an empty line.
            "METADATA" => while words.line().is_some_and(|l| !l.trim().is_empty()) {},
            "FIELD" => pass_field(&mut words)?,
            "POINT_DATA" | "CELL_DATA" => break,
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(words.refusal(format!(
                    "unknown section `{other}`; a solid of tetrahedra has POINTS, CELLS and CELL_TYPES"
                )));
            }
        }
    }
    let none = |name: &str| words.refusal(format!("the file ends without {name}"));
    let points = points.ok_or_else(|| none("POINTS"))?;
    let cells = cells.ok_or_else(|| none("CELLS"))?;
    let types = types.ok_or_else(|| none("CELL_TYPES"))?;
    if types.len() != cells.len() {
        let text = format!("{} types for {} cells", types.len(), cells.len());
        return Err(words.refusal(text));
    }
    if let Some((i, (kind, line))) = types.iter().enumerate().find(|(_, (kind, _))| *kind != TETRAHEDRON) {
        return Err(Refusal::line(
            *line,
            format!("cell {i} is of type {kind}, no tetrahedron ({TETRAHEDRON}); keep tetrahedra alone"),
        ));
    }
    let corners = |(i, (cell, line)): (usize, &(Vec<u64>, usize))| {
        let corners: [u64; 4] = cell.as_slice().try_into().map_err(|_| {
            Refusal::line(*line, format!("cell {i} has {} points, a tetrahedron has 4", cell.len()))
        })?;
        if let Some(p) = corners.iter().find(|p| **p >= points.len() as u64) {
            let text = format!("cell {i} names point {p}, but there are {}, from 0", points.len());
            return Err(Refusal::line(*line, text));
        }
        Ok(corners.map(|p| p as u32))
    };
    let tetrahedra = cells.iter().enumerate().map(corners).collect::<Result<Vec<_>, _>>()?;
    Ok((points, tetrahedra))
}

fn read_points(words: &mut Words<'_>) -> Result<Vec<Point3<f64>>, Refusal> {
    let count: u32 = words.number("the number of points")?;
    // The type of the numbers.
    words.next();
    let mut points = Vec::new();
    for _ in 0..count {
        let mut p = [0.0; 3];
        for x in &mut p {
            *x = words.number("a coordinate")?;
        }
        if p.iter().any(|x: &f64| !x.is_finite()) {
            return Err(words.refusal(format!("point {} is not finite", points.len())));
        }
        points.push(p.into());
    }
    Ok(points)
}

/// The points of each cell, and the line.
fn read_cells(words: &mut Words<'_>) -> Result<Vec<(Vec<u64>, usize)>, Refusal> {
    let count: usize = words.number("the number of cells")?;
    let size: usize = words.number("the size of the list of cells")?;
    let mut cells = Vec::new();
    // Version 5 lists where cells begin, then all points.
    let mut ahead = words.rest.clone();
    let next =
        ahead.next().or_else(|| words.lines.clone().find_map(|(_, l)| l.split_ascii_whitespace().next()));
    if next.is_some_and(|w| w.eq_ignore_ascii_case("OFFSETS")) {
        words.expect("OFFSETS")?;
        words.next();
        let mut offsets: Vec<usize> = Vec::new();
        for _ in 0..count {
            offsets.push(words.number("the place of a cell")?);
        }
        words.expect("CONNECTIVITY")?;
        words.next();
        for pair in offsets.windows(2) {
            let mut cell = Vec::new();
            for _ in pair[0]..pair[1] {
                cell.push(words.number("a point of a cell")?);
            }
            cells.push((cell, words.line));
        }
        return Ok(cells);
    }
    let mut left = size;
    for i in 0..count {
        let corners: usize = words.number("the number of points of a cell")?;
        if corners.saturating_add(1) > left {
            return Err(words.refusal(format!("cell {i} passes the {size} numbers that CELLS states")));
        }
        left -= corners + 1;
        let mut cell = Vec::new();
        for _ in 0..corners {
            cell.push(words.number("a point of a cell")?);
        }
        cells.push((cell, words.line));
    }
    match left {
        0 => Ok(cells),
        _ => Err(words.refusal(format!("CELLS states {size} numbers, its cells have {}", size - left))),
    }
}

/// Passes over arrays of data.
fn pass_field(words: &mut Words<'_>) -> Result<(), Refusal> {
    words.next();
    let arrays: usize = words.number("the number of arrays")?;
    for _ in 0..arrays {
        words.next();
        let parts: usize = words.number("the number of components")?;
        let count: usize = words.number("the number of tuples")?;
        words.next();
        for _ in 0..parts.saturating_mul(count) {
            if words.next().is_none() {
                return Err(words.refusal("the file ends within an array of data"));
            }
        }
    }
    Ok(())
}
