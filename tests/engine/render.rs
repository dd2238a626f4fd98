//! The shipped rendering stages against closed forms, on scenes small enough to be computed by hand. They run checked:
//! an access out of range fails the test.

mod dye;
mod eye;
mod legends;
mod parts;
mod scene;
mod shades;
mod streamlines;
mod surfaces;

use scene::{Scene, View};

use super::common::{self, floats, words};

/// Largest share by which float arithmetic may move a distance: the ray's z has an error of a few 2^-24 of its length
/// 1, and a height one of a few 2^-24 of 100 m; both are divided by |ray.z| on the way to the distance.
fn rounding(distance: f64, ray_z: f64) -> f64 {
    (4e-7 * distance + 3e-5) / ray_z.abs()
}

/// Greatest excess of |a - b| over its tolerance, and how many pixels were compared.
fn excess(pairs: impl Iterator<Item = (f64, f64, f64)>) -> (f64, usize) {
    pairs.fold((f64::MIN, 0), |(worst, n), (a, b, tolerance)| {
        (worst.max((a - b).abs() - tolerance), n + 1)
    })
}

/// Distance, plane's distance and tolerance for each pixel that looks down enough to hit the plane
/// `height + slope . (x, y)` within 1,200 m.
fn against_plane(depths: &[f32], view: &View, height: f64, slope: [f64; 2]) -> Vec<(f64, f64, f64)> {
    let over = view.eye[2] - height - slope[0] * view.eye[0] - slope[1] * view.eye[1];
    let mut pairs = Vec::new();
    for (pixel, depth) in depths.iter().enumerate() {
        let ray = view.ray(pixel);
        let fall = slope[0] * ray[0] + slope[1] * ray[1] - ray[2];
        let distance = over / fall;
        if fall > 0.0 && distance < 1200.0 {
            pairs.push((f64::from(*depth), distance, rounding(distance, fall)));
        }
    }
    pairs
}

#[test]
fn level_plane_depth_matches_the_closed_form() {
    let Some(mut scene) = Scene::new(|_| ()) else {
        return;
    };
    scene.ground(|_, _| 10.0, |_, _| 0);
    // The second eye stands beyond the border, in the mirror image of the ground.
    for eye in [[150.0, 120.0, 60.0], [-420.0, 900.0, 90.0]] {
        let view = scene.look(eye, [eye[0] + 150.0, eye[1] + 110.0, 30.0]);
        let depths = floats(&scene.frame("draw.view.depth"));
        let pairs = against_plane(&depths, &view, 10.0, [0.0, 0.0]);
        let (worst, compared) = excess(pairs.iter().copied());
        assert!(compared > 1000, "{compared} pixels hit the plane");
        assert!(worst <= 0.0, "distance off by {worst} m more than rounding");
        for (pixel, depth) in depths.iter().enumerate() {
            assert!(
                view.ray(pixel)[2] < 0.0 || *depth == f32::INFINITY,
                "pixel {pixel} hits the sky"
            );
        }
        // The comparison sees a plane that is 2 cm higher.
        let off = against_plane(&depths, &view, 10.02, [0.0, 0.0]);
        assert!(excess(off.into_iter()).0 > 0.0);
    }
}

#[test]
fn tilted_snow_plane_has_correct_normal_and_depth() {
    let Some(mut scene) = Scene::new(|_| ()) else {
        return;
    };
    let [sx, sy] = scene.spacing;
    // Terrain rises to the east, snow to the north: a millimetre's unit, so that 300 units a row are exact.
    scene.ground(|x, _| 0.25 * x as f64 * sx, |_, y| 300 * y as u32);
    let slope = [0.25, 0.3 / sy];
    let view = scene.look([200.0, 60.0, 150.0], [260.0, 150.0, 60.0]);
    let relief = floats(&scene.frame("draw.ground.relief"));
    let [nx, ny] = scene.vertices;
    let mut checked = 0;
    for y in 0..ny {
        for x in 0..nx {
            let at = &relief[4 * (y * nx + x)..];
            // Heights of 200 m carry 2^-17 m; a difference of two over two spacings of 4 m at least.
            let off = (f64::from(at[0]) - slope[0])
                .abs()
                .max((f64::from(at[1]) - slope[1]).abs());
            assert!(off < 5e-6, "slope at ({x}, {y}) off by {off}");
            checked += 1;
        }
    }
    assert_eq!(checked, nx * ny);
    let depths = floats(&scene.frame("draw.view.depth"));
    let mut pairs = against_plane(&depths, &view, 0.0, slope);
    // Beyond the border the plane folds back.
    let inside = |pixel: f64, edge: usize, spacing: f64| pixel > 0.0 && pixel < (edge - 1) as f64 * spacing;
    let rays: Vec<[f64; 3]> = (0..depths.len()).map(|pixel| view.ray(pixel)).collect();
    let hits = against_plane(&depths, &view, 0.0, slope).len();
    assert_eq!(hits, depths.len(), "every ray looks down at this plane");
    let mut rays = rays.into_iter();
    pairs.retain(|(_, distance, _)| {
        let ray = rays.next().unwrap();
        inside(view.eye[0] + distance * ray[0], nx, sx) && inside(view.eye[1] + distance * ray[1], ny, sy)
    });
    let (worst, compared) = excess(pairs.into_iter());
    assert!(
        compared > 1000 && worst <= 0.0,
        "{compared} pixels, off by {worst} m more than rounding"
    );
}

#[test]
fn terrain_is_mirrored_beyond_its_border() {
    let Some(mut scene) = Scene::new(|_| ()) else {
        return;
    };
    let ([sx, _], [nx, _]) = (scene.spacing, scene.vertices);
    scene.ground(|x, _| 0.25 * x as f64 * sx, |_, _| 0);
    let view = scene.look([20.0, 500.0, 60.0], [-200.0, 560.0, 20.0]);
    let depths = floats(&scene.frame("draw.view.depth"));
    // West of the border the ground rises to the west.
    let west = -((nx - 1) as f64) * sx;
    let hits: Vec<usize> = (0..depths.len())
        .filter(|pixel| {
            let x = view.eye[0] + f64::from(depths[*pixel]) * view.ray(*pixel)[0];
            x > west && x < 0.0
        })
        .collect();
    let (worst, compared) = excess(hits.iter().map(|pixel| {
        let ray = view.ray(*pixel);
        let fall = -0.25 * ray[0] - ray[2];
        let distance = (view.eye[2] + 0.25 * view.eye[0]) / fall;
        (f64::from(depths[*pixel]), distance, rounding(distance, fall))
    }));
    assert!(
        compared > 1000 && worst <= 0.0,
        "{compared} pixels, off by {worst} m more than rounding"
    );
}

#[test]
fn empty_block_skipping_changes_no_pixel() {
    let with_blocks = |size: [u32; 2]| {
        let mut scene = Scene::new(|file| {
            file["use"]["draw"]["module"]["grids"]["blocks"]["pixels"] = serde_json::json!(size)
        })?;
        let hills = |x: usize, y: usize| 25.0 + 20.0 * (x as f64 * 0.31).sin() * (y as f64 * 0.23).cos();
        scene.ground(hills, |x, y| (x * y % 97) as u32);
        scene.look([150.0, 120.0, 60.0], [400.0, 300.0, 30.0]);
        Some(scene.frame("draw.view.depth"))
    };
    let Some(whole) = with_blocks([1, 1]) else { return };
    for size in [[7, 3], [64, 64]] {
        assert_eq!(with_blocks(size).unwrap(), whole, "with {size:?} blocks");
    }
    assert!(floats(&whole).iter().any(|d| d.is_finite()));
}

/// Depth and radiance of a level plane in clear air with this paint.
fn painted(paint: [f64; 4]) -> Option<(Vec<f32>, Vec<f32>)> {
    let mut scene = Scene::new(|file| {
        let channels = &mut file["grids"]["ground"]["channels"];
        channels["paint"] = serde_json::json!({"type": "vec4", "values": paint});
        file["use"]["draw"]["module"]["parameters"]["weather"]["haze"] = serde_json::json!([0, 100, 30]);
    })?;
    scene.ground(|_, _| 10.0, |_, _| 0);
    scene.look([150.0, 120.0, 60.0], [300.0, 230.0, 30.0]);
    let depths = floats(&scene.frame("draw.view.depth"));
    Some((depths, floats(&scene.frame("draw.view.radiance"))))
}

#[test]
fn paint_replaces_the_colour_of_the_ground_by_its_opacity() {
    let Some((depths, green)) = painted([0.0, 0.5, 0.0, 1.0]) else {
        return;
    };
    let radiance = |paint| painted(paint).unwrap().1;
    let (glowing, none, half) = (
        radiance([0.0, 2.0, 0.0, 1.0]),
        radiance([0.0; 4]),
        radiance([0.0, 0.5, 0.0, 0.5]),
    );
    let hits: Vec<usize> = (0..depths.len())
        .filter(|pixel| depths[*pixel].is_finite())
        .collect();
    assert!(hits.len() > 1000, "{} pixels show the ground", hits.len());
    for pixel in hits {
        let at = 3 * pixel;
        assert_eq!([green[at], green[at + 2]], [0.0; 2], "pixel {pixel}");
        assert!(green[at + 1] > 0.0 && none[at] > 0.0, "pixel {pixel}");
        assert_eq!(glowing[at + 1], 4.0 * green[at + 1], "pixel {pixel}");
        for k in at..at + 3 {
            let mean = 0.5 * (none[k] + green[k]);
            assert!(
                (half[k] - mean).abs() <= 1e-6 * mean,
                "pixel {pixel}: {} and not {mean}",
                half[k]
            );
        }
    }
}

#[test]
fn trees_are_grounded_and_within_height_bounds() {
    let tall = 2.6;
    let Some(mut scene) = Scene::new(|file| {
        file["use"]["draw"]["module"]["parameters"]["look"]["tree_height"] = serde_json::json!(tall)
    }) else {
        return;
    };
    scene.ground(|_, _| 10.0, |_, _| 0);
    let view = scene.look([150.0, 120.0, 60.0], [300.0, 230.0, 30.0]);
    let bare = floats(&scene.frame("draw.view.depth"));
    scene.forest(0.6);
    let grown = floats(&scene.frame("draw.view.depth"));
    let mut trees = 0;
    for (pixel, (bare, grown)) in bare.iter().zip(&grown).enumerate() {
        if bare.is_finite() {
            let fall = view.ray(pixel)[2];
            let behind = f64::from(*grown) - f64::from(*bare);
            assert!(
                behind <= rounding(f64::from(*bare), fall),
                "pixel {pixel}: {grown} behind {bare}"
            );
            let height = view.eye[2] + f64::from(*grown) * fall - 10.0;
            assert!(
                (-0.01..=1.4 * tall + 0.01).contains(&height),
                "pixel {pixel}: {height} m over the ground"
            );
            trees += usize::from(height > 0.1);
        }
    }
    assert!(trees > bare.len() / 20, "{trees} pixels show trees");
}

/// A wall across the ground, 40 m high, between the eye and a flake; or level ground.
fn light_of_a_flake_at(distance: f64, wall: bool) -> Option<u64> {
    let mut scene = Scene::new(|_| ())?;
    let spacing = scene.spacing[0];
    scene.ground(
        |x, _| {
            if wall && (x as f64 * spacing - 200.0).abs() < 20.0 {
                40.0
            } else {
                5.0
            }
        },
        |_, _| 0,
    );
    scene.look([100.0, 120.0, 20.0], [300.0, 120.0, 20.0]);
    scene.flake([100.0 + distance, 120.0, 20.0], [0.0; 3]);
    Some(
        words(&scene.frame("draw.view.light"))
            .iter()
            .map(|units| u64::from(*units))
            .sum(),
    )
}

#[test]
fn flakes_are_occluded_by_hills() {
    let Some(behind) = light_of_a_flake_at(150.0, true) else {
        return;
    };
    assert_eq!(behind, 0);
    assert!(light_of_a_flake_at(40.0, true).unwrap() > 0);
    // It is the hill that hides it.
    assert!(light_of_a_flake_at(150.0, false).unwrap() > 0);
}

#[test]
fn flake_light_is_conserved_for_any_position_and_motion() {
    let opacity = 2.5;
    let Some(mut scene) = Scene::new(|file| {
        file["use"]["draw"]["module"]["parameters"]["weather"]["haze"] = serde_json::json!([0, 100, 30]);
        file["use"]["draw"]["module"]["parameters"]["look"]["opacity"] = serde_json::json!(opacity);
    }) else {
        return;
    };
    scene.ground(|_, _| 0.0, |_, _| 0);
    let view = scene.look([100.0, 120.0, 60.0], [300.0, 120.0, 60.0]);
    let depth = 30.0;
    // The disc's area in pixels times its optical depth, in units of 1/16384. Flake 0 has hash 0: 0.6 radii.
    let radius = 0.6 * scene.radius * view.focal / depth;
    let expected = opacity * std::f64::consts::PI * radius * radius * 16384.0;
    let mut seen = Vec::new();
    for (n, velocity) in [[0.0; 3], [0.0, 9.0, 0.0], [0.0, 3.0, -7.0], [0.0, -5.0, -5.0]]
        .into_iter()
        .enumerate()
    {
        for k in 0..12 {
            // Steps of 0.137 of a pixel both ways.
            let off = 0.137 * f64::from(k) * depth / view.focal;
            scene.flake(
                [100.0 + depth, 120.0 + off + n as f64, 60.0 - 0.7 * off],
                velocity,
            );
            let light = words(&scene.frame("draw.view.light"));
            let total: f64 = light.iter().map(|units| f64::from(*units)).sum();
            // Half a unit of rounding per pixel that the sprite covers (as many again round to nothing), and the
            // cancellation in the shares: 2^-24 of coordinates of some 100 pixels, over a quarter: 2e-4.
            let covered = light.iter().filter(|units| **units > 0).count() as f64;
            let tolerance = covered + 2e-4 * expected;
            assert!(
                (total - expected).abs() <= tolerance,
                "{total} for {expected} +- {tolerance}, {velocity:?} {off}"
            );
            // The tolerance would show a flake 5 % brighter.
            assert!((1.05 * expected - total).abs() > tolerance);
            seen.push(light);
        }
    }
    assert!(
        seen.windows(2).all(|pair| pair[0] != pair[1]),
        "the sprites differ"
    );
}

#[test]
fn repeated_rendering_is_identical_and_opaque() {
    let draw = || {
        let mut scene = Scene::new(|_| ())?;
        scene.ground(|x, y| 20.0 + 0.1 * (x * y % 31) as f64, |x, _| 5 * x as u32);
        scene.look([150.0, 120.0, 60.0], [400.0, 300.0, 30.0]);
        scene.flake([170.0, 136.0, 57.0], [8.0, 3.0, -1.0]);
        Some(scene.frame("draw.view.color"))
    };
    let Some(first) = draw() else { return };
    assert_eq!(first, draw().unwrap());
    assert!(first.chunks(4).all(|pixel| pixel[3] == 255));
    let distinct: std::collections::BTreeSet<&[u8]> = first.chunks(4).collect();
    assert!(distinct.len() > 100, "{} colours", distinct.len());
}
