/// Large parts where the crate is built without faer: there are none.
#[derive(Debug)]
pub(super) enum Large {}

impl Large {
    pub(super) fn new() -> Option<Self> {
        None
    }

    pub(super) fn analyze(&mut self, _: &[u32], _: impl Iterator<Item = (usize, usize)>) -> Option<usize> {
        match *self {}
    }

    pub(super) fn column(&self, _: usize) -> (usize, usize) {
        match *self {}
    }

    pub(super) fn factor(&mut self, _: &[f64]) -> Result<(), (usize, f64)> {
        match *self {}
    }

    pub(super) fn solve(&mut self, _: &mut [f64]) {
        match *self {}
    }
}
