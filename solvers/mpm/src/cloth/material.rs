use signorini_core::na::{Matrix2, Matrix3, Vector2, Vector3};

use crate::error::{MpmError, value};
use crate::material::Lame;

/// Sheet that is elastic in its plane, with fibres across that resist being shortened and sheared, and come loose when stretched. It may resist bending, which is of its triangles together and not in ψ.
///
/// ```text
/// F = Q R,   ψ = μ |R̂ − R₂|² + ½ λ (J − 1)² + ½ γ (r₁₃² + r₂₃²) + k/3 (1 − r₃₃)₊³        R̂ = R₂ S, J = det R̂: rows and columns 1, 2 of R
/// P = Q ( P̂                        γ r̂ )
///       ( (γ r₃₃ − f′) (R̂⁻¹ r̂)ᵀ    f′  )        r̂ = (r₁₃, r₂₃),   f′ = −k (1 − r₃₃)₊²,   P̂ = 2 μ (R̂ − R₂) + λ (J − 1) J R̂⁻ᵀ
/// ```
/// Energies are per volume at rest. The constants are those of plane stress, as a sheet is free to become thinner: λ = E ν/(1 − ν²), μ = E/(2 (1 + ν)). So a strip that is pulled has Young's modulus and Poisson's ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothMaterial {
    plane: Lame,
    density: f64,
    thickness: f64,
    normal: f64,
    shear: f64,
    friction: f64,
    bending: f64,
}

/// F = Q R with a rotation Q: columns 1 and 2 of the sheet, the third its normal.
struct Factors {
    q: Matrix3<f64>,
    plane: Matrix2<f64>,
    /// (r₁₃, r₂₃, r₃₃).
    fibre: Vector3<f64>,
}

impl Factors {
    fn of(f: &Matrix3<f64>) -> Self {
        let [a, b, c] = [0, 1, 2].map(|i| f.column(i).into_owned());
        // A triangle that has shrunk to a line has no normal, and takes one across it.
        let q1 = a.try_normalize(0.0).unwrap_or_else(Vector3::x);
        let r12 = q1.dot(&b);
        let across = |v: Vector3<f64>| (v - q1.dot(&v) * q1).try_normalize(0.0);
        let other = if q1.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let q2 = across(b).or_else(|| across(other)).unwrap_or_else(Vector3::y);
        let q = Matrix3::from_columns(&[q1, q2, q1.cross(&q2)]);
        Self { q, plane: Matrix2::new(a.norm(), r12, 0.0, q2.dot(&b)), fibre: q.tr_mul(&c) }
    }
}

/// R₂ of R̂ = R₂ S, for det R̂ ≥ 0, and tr S.
fn polar(r: &Matrix2<f64>) -> (Matrix2<f64>, f64) {
    let (x, y) = (r[(0, 0)] + r[(1, 1)], r[(1, 0)] - r[(0, 1)]);
    let trace = x.hypot(y);
    if trace > 0.0 { (Matrix2::new(x, -y, y, x) / trace, trace) } else { (Matrix2::identity(), 0.0) }
}

impl ClothMaterial {
    /// Material of Young's modulus \[Pa\], Poisson's ratio, density \[kg/m³\] and thickness \[m\]. Fibres across resist being shortened with the same modulus, k = E, and neither shear nor rub; see [`ClothMaterial::fibres`]. The sheet bends freely; see [`ClothMaterial::with_bending`].
    ///
    /// # Errors
    /// [`MpmError::Value`] for numbers out of range.
    pub fn new(young: f64, poisson: f64, density: f64, thickness: f64) -> Result<Self, MpmError> {
        value("cloth: Young's modulus", young, young > 0.0, "Pa > 0")?;
        let within = poisson > -1.0 && poisson <= 0.5;
        value("cloth: Poisson's ratio", poisson, within, "a number above −1, ½ at most")?;
        value("cloth: the density", density, density > 0.0, "kg/m³ > 0")?;
        value("cloth: the thickness", thickness, thickness > 0.0, "m > 0")?;
        let plane =
            Lame { lambda: young * poisson / (1.0 - poisson * poisson), mu: young / (2.0 * (1.0 + poisson)) };
        Ok(Self { plane, density, thickness, normal: young, shear: 0.0, friction: 0.0, bending: 0.0 })
    }

    /// With fibres of stiffness k \[Pa\] against being shortened, γ \[Pa\] against shear, and Coulomb's friction c between shear and pressure.
    ///
    /// # Errors
    /// [`MpmError::Value`] for numbers out of range.
    pub fn fibres(self, normal: f64, shear: f64, friction: f64) -> Result<Self, MpmError> {
        value("cloth: the stiffness of fibres", normal, normal > 0.0, "Pa > 0")?;
        value("cloth: the shear stiffness of fibres", shear, shear >= 0.0, "Pa, 0 or more")?;
        value("cloth: the friction of fibres", friction, friction >= 0.0, "a number, 0 or more")?;
        Ok(Self { normal, shear, friction, ..self })
    }

    /// With a bending rigidity D \[N·m\] in place of none: a strip bent to a cylinder of curvature κ holds ½ D κ² for each area. Woven cloth has about 10⁻⁶ to 10⁻⁴ N·m, less than [`ClothMaterial::plate_rigidity`], as its yarns slip.
    ///
    /// That holds for lines of bending along the edges of a mesh of right triangles, and along any direction of one of equilateral triangles; square cells with alternating diagonals have 1 + ½ sin² 2α times as much where lines of bending are turned by α.
    ///
    /// # Errors
    /// [`MpmError::Value`] for a rigidity that is negative or not finite.
    pub fn with_bending(self, rigidity: f64) -> Result<Self, MpmError> {
        value("cloth: the bending rigidity", rigidity, rigidity >= 0.0, "N·m, 0 or more")?;
        Ok(Self { bending: rigidity, ..self })
    }

    /// Bending rigidity of a plate of this material \[N·m\], D = E t³/(12 (1 − ν²)).
    pub fn plate_rigidity(&self) -> f64 {
        self.plane.wave_modulus() * self.thickness.powi(3) / 12.0
    }

    /// Lamé's constants in the plane, λ and μ \[Pa\].
    pub fn plane(&self) -> Lame {
        self.plane
    }

    /// \[kg/m³\].
    pub fn density(&self) -> f64 {
        self.density
    }

    /// \[m\].
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// k of fibres \[Pa\].
    pub fn normal_stiffness(&self) -> f64 {
        self.normal
    }

    /// γ of fibres \[Pa\].
    pub fn shear_stiffness(&self) -> f64 {
        self.shear
    }

    /// c of fibres.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// D \[N·m\].
    pub fn bending(&self) -> f64 {
        self.bending
    }

    /// Stiffness of the fastest wave \[Pa\]: λ + 2μ in the plane, k or γ across. Fibres that are shortened to nothing have 2k, but the grid sees their waves coarser than those of the plane.
    pub fn wave_modulus(&self) -> f64 {
        self.plane.wave_modulus().max(self.normal).max(self.shear)
    }

    /// ψ(F) \[J/m³\].
    pub fn energy(&self, f: &Matrix3<f64>) -> f64 {
        let Lame { lambda, mu } = self.plane;
        let Factors { plane, fibre, .. } = Factors::of(f);
        let (turn, _) = polar(&plane);
        let stretched =
            mu * (plane - turn).norm_squared() + 0.5 * lambda * (plane.determinant() - 1.0).powi(2);
        let sheared = 0.5 * self.shear * fibre.xy().norm_squared();
        stretched + sheared + self.normal / 3.0 * (1.0 - fibre.z).max(0.0).powi(3)
    }

    /// P = ∂ψ/∂F \[Pa\].
    pub fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let Lame { lambda, mu } = self.plane;
        let Factors { q, plane, fibre } = Factors::of(f);
        let (turn, _) = polar(&plane);
        let [a, b, d] = [plane[(0, 0)], plane[(0, 1)], plane[(1, 1)]];
        // J R̂⁻ᵀ without division.
        let cofactor = Matrix2::new(d, 0.0, -b, a);
        let flat = 2.0 * mu * (plane - turn) + lambda * (a * d - 1.0) * cofactor;
        let press = -self.normal * (1.0 - fibre.z).max(0.0).powi(2);
        let across = fibre.xy();
        // R̂⁻¹ r̂; fibres that do not lean have none, in a triangle that has shrunk to a line either.
        let lean = if across == Vector2::zeros() {
            across
        } else {
            let second = across.y / d;
            Vector2::new((across.x - b * second) / a, second)
        };
        let turned = (self.shear * fibre.z - press) * lean;
        let shear = self.shear * across;
        q * Matrix3::new(
            flat[(0, 0)],
            flat[(0, 1)],
            shear.x,
            flat[(1, 0)],
            flat[(1, 1)],
            shear.y,
            turned.x,
            turned.y,
            press,
        )
    }

    /// Fibres r = (r₁₃, r₂₃, r₃₃) reduced to the bearable, in the frame of the sheet.
    ///
    /// ```text
    /// r₃₃ > 1              come loose: (0, 0, 1)
    /// γ = 0 or r₃₃ ≤ 0     no shear; r₃₃ ≥ −1
    /// else                 Coulomb: γ |r̂| ≤ c k (1 − r₃₃)²
    /// ```
    pub fn borne(&self, r: &Vector3<f64>) -> Vector3<f64> {
        if r.z > 1.0 {
            return Vector3::z();
        }
        if self.shear == 0.0 || r.z <= 0.0 {
            return Vector3::new(0.0, 0.0, r.z.max(-1.0));
        }
        let (lean, most) = (r.xy().norm(), self.friction * self.normal / self.shear * (1.0 - r.z).powi(2));
        let part = if lean > most { most / lean } else { 1.0 };
        Vector3::new(part * r.x, part * r.y, r.z)
    }

    /// Takes the fibre of a trial gradient back to the bearable; the columns of the plane stay.
    pub fn flow(&self, f: &mut Matrix3<f64>) {
        let Factors { q, fibre, .. } = Factors::of(f);
        f.set_column(2, &(q * self.borne(&fibre)));
    }
}
