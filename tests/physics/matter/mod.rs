//! What the material point method must do where the answer is known: from mechanics, or from experiments that were
//! published.

pub mod bar;
pub mod column;
pub mod dam;
pub mod disks;
pub mod fall;
pub mod setup;

use super::Measurement;

/// Text of the page before the tables: the scenes and the sources of their numbers.
pub const ABOUT: &str = "\
The scenes are the shipped pipelines with other particles, grids and parameters. The bar and the disks are one layer of
particles in three layers of nodes without velocity across the layers: exactly one- and two-dimensional.

- *Free fall*: a block of jelly with eight particles per cell.
- *Vibrating bar*: u = v0 / ω sin(β X) sin(ω t), β = (2 n - 1) π / (2 L), ω = β sqrt(E / ρ), with L = 25, E = 100, ρ = 1,
  v0 = 0.1 from A. de Vaucorbeil, V. P. Nguyen, S. Sinaie and J. Y. Wu, *Material point method after 25 years* (2020), after
  D. Sulsky, S. J. Zhou and H. L. Schreyer, *Application of a particle-in-cell method to solid mechanics* (1995). At a fixed
  end two cells are clamped. The stress is linear in the stretch here, so the closed form holds for any amplitude.
- *Colliding disks*: D. Sulsky, Z. Chen and H. L. Schreyer, *A particle method for history-dependent materials* (1994), with
  the numbers of V. P. Nguyen's programs (2013): radius 0.2 m, centres (0.2, 0.2) and (0.8, 0.8), velocities ±(0.1, 0.1)
  m/s, E = 1000 Pa, ν = 0.3, 1000 kg/m³, plane strain, 20 cells per metre. The time of contact on the grid is compared with
  the time at which rigid disks would touch.
- *Breaking dam*: J. C. Martin and W. J. Moyce, *An experimental study of the collapse of liquid columns on a rigid
  horizontal plane* (1952): front Z = x / a against T = n t sqrt(g / a), for a column of width a and height n² a,
  a = 57.15 mm, 16 cells. The reference is the mean speed between Z = 2 and 4 in three public copies of their data
  (tests/physics/matter/dam.rs), which agree in the speed but not in the offset of time. Walls and floor have no friction
  here. In the experiment the square column (n² = 1) was slower than in the simulation: 0.71 of 2 sqrt(g h) between Z = 1.89
  at T = 1.19 and Z = 3 at T = 1.97, in a public copy. Three methods agree against it: [causes](validation-causes.md).
- *Collapsing column*: run-out on a rough floor over the width or radius l0 of a column of height a l0. In a channel: 1.2 a
  up to a of about 2, 1.9 a^(2/3) from about 3 on (G. Lube et al., *Collapses of two-dimensional granular columns*, 2005);
  1.8 a up to 3, with glass beads (E. Lajeunesse et al., *Granular slumping on a horizontal surface*, 2005). To all sides
  (round): 1.24 a up to 1.7 (Lube et al., *Axisymmetric collapses of granular columns*, 2004); 2 a^(1/2) - 1 from 0.74 on
  (Lajeunesse et al., *Spreading of a granular mass on a horizontal plane*, 2004). The constants are quoted from secondary
  sources, those of Lajeunesse 2005 from only one. The sand has a friction angle of 33°; the angle of its cone is set so
  that plane flow at constant volume has this friction. On finer grids thin tips run farther, so the edge is defined as the
  point where a slice of l0 / 16 is as deep as wide.
";

/// Every measurement of the method with its title, in the order of the table.
pub const MEASUREMENTS: &[(&str, Measurement)] = &[
    ("Free fall", fall::fall),
    ("Vibrating bar", bar::vibration),
    ("Colliding disks", disks::collision),
    ("Breaking dam", dam::dam),
    ("Collapsing column", column::columns),
];
