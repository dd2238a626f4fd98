//! What the material point method must do where the answer is known: from mechanics, or from experiments that were
//! published.

pub mod bar;
pub mod column;
pub mod dam;
pub mod disks;
pub mod fall;
pub mod setup;

use super::Measurement;

/// What the page says before the tables: scenes and where their numbers are from.
pub const ABOUT: &str = "\
Scenes are the shipped pipelines with other particles, grids and parameters. Bar and disks are one layer of particles in
three layers of nodes whose velocity has no component across: exactly one- and two-dimensional.

- *Free fall*: a block of jelly, eight particles a cell.
- *Vibrating bar*: u = v0 / ω sin(β X) sin(ω t), β = (2 n - 1) π / (2 L), ω = β sqrt(E / ρ), with L = 25, E = 100, ρ = 1,
  v0 = 0.1 of A. de Vaucorbeil, V. P. Nguyen, S. Sinaie and J. Y. Wu, *Material point method after 25 years* (2020), after
  D. Sulsky, S. J. Zhou and H. L. Schreyer, *Application of a particle-in-cell method to solid mechanics* (1995). Where it
  is fixed, a clamp holds two cells of it. Stress is linear in stretch here, so the closed form holds for any amplitude.
- *Colliding disks*: D. Sulsky, Z. Chen and H. L. Schreyer, *A particle method for history-dependent materials* (1994), in
  the numbers of V. P. Nguyen's programs of 2013: radius 0.2 m, centres (0.2, 0.2) and (0.8, 0.8), velocities ±(0.1, 0.1)
  m/s, E = 1000 Pa, ν = 0.3, 1000 kg/m³, plane strain, 20 cells a metre. When the grid feels contact is compared with when
  rigid disks would touch.
- *Breaking dam*: J. C. Martin and W. J. Moyce, *An experimental study of the collapse of liquid columns on a rigid
  horizontal plane* (1952): front Z = x / a against T = n t sqrt(g / a), for a column a wide and n² a high, a = 57.15 mm, 16
  cells. The speed between Z = 2 and 4 is the mean of three public copies of their numbers (tests/physics/matter/dam.rs),
  which agree in it and not in the offset of time. Walls and floor have no friction here. Their square column (n² = 1) was
  slower than what is found here: 0.71 of 2 sqrt(g h) between Z = 1.89 at T = 1.19 and Z = 3 at T = 1.97, in a public copy.
- *Collapsing column*: run-out on a rough floor over the width l0, or radius, of a column of height a l0. In a channel, by G.
  Lube et al., *Collapses of two-dimensional granular columns* (2005): 1.2 a up to a of about 2, 1.9 a^(2/3) from about 3 on;
  by E. Lajeunesse et al., *Granular slumping on a horizontal surface* (2005), with glass beads: 1.8 a up to 3. To all sides
  (round), by Lube et al., *Axisymmetric collapses of granular columns* (2004): 1.24 a up to 1.7; by Lajeunesse et al.,
  *Spreading of a granular mass on a horizontal plane* (2004): 2 a^(1/2) - 1 from 0.74 on. The papers were not at hand: the
  constants are as others quote them, Lajeunesse's of 2005 from one source only. Sand has 33° of friction, its cone the
  angle that lets plane flow at constant volume bear that. On finer grids thin tips run farther: the edge is where a slice
  of l0 / 16 is as deep as wide.
";

/// Every measurement of the method with its title, in the order of the table.
pub const MEASUREMENTS: &[(&str, Measurement)] = &[
    ("Free fall", fall::fall),
    ("Vibrating bar", bar::vibration),
    ("Colliding disks", disks::collision),
    ("Breaking dam", dam::dam),
    ("Collapsing column", column::columns),
];
