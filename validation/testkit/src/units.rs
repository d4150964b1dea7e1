//! Units of length, mass and time, to run a scene in others: no number of a method has a scale of its own if it moves alike.

/// Ratios of units that are powers of 2¹², so that products, quotients, square and cube roots of a run are those of another one, bit for bit.
pub const SCALES: [f64; 3] = [1.0 / 4096.0, 1.0, 4096.0];

/// Units beside m, kg and s.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// \[m\].
    pub length: f64,
    /// \[kg\].
    pub mass: f64,
    /// \[s\].
    pub time: f64,
}

impl Units {
    /// m, kg and s.
    pub const SI: Self = Self { length: 1.0, mass: 1.0, time: 1.0 };

    /// \[m/s\].
    pub fn speed(&self) -> f64 {
        self.length / self.time
    }

    /// \[N\].
    pub fn force(&self) -> f64 {
        self.mass * self.speed() / self.time
    }

    /// \[kg/m³\].
    pub fn density(&self) -> f64 {
        self.mass / self.length.powi(3)
    }

    /// \[Pa\].
    pub fn pressure(&self) -> f64 {
        self.density() * self.speed() * self.speed()
    }

    /// Of stiffness \[N/m\].
    pub fn spring(&self) -> f64 {
        self.mass / self.time / self.time
    }
}
