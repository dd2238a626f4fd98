//! Pixels without data, which are NaN.

/// Fills gaps from their edges inwards, ring by ring: each pixel gets the mean of its known neighbours among eight, so
/// a plane stays nearly plane. Returns the number of missing pixels; more than half is an error.
pub(super) fn fill(levels: &mut [f64], width: usize) -> Result<usize, String> {
    let missing = levels.iter().filter(|level| level.is_nan()).count();
    if missing == 0 {
        return Ok(0);
    }
    if 2 * missing > levels.len() {
        let share = 100.0 * missing as f64 / levels.len() as f64;
        return Err(format!("{missing} of its pixels ({share:.0} %) have no data"));
    }
    let height = levels.len() / width;
    // Each round fills the missing pixels with known neighbours, from the values before the round.
    let at_edge = |at: &usize| {
        levels[*at].is_nan() && neighbours(*at, width, height).any(|other| !levels[other].is_nan())
    };
    let mut edge: Vec<usize> = (0..levels.len()).filter(at_edge).collect();
    let mut queued = vec![false; levels.len()];
    edge.iter().for_each(|at| queued[*at] = true);
    while !edge.is_empty() {
        let mean = |at: &usize| {
            let known = neighbours(*at, width, height)
                .map(|other| levels[other])
                .filter(|level| !level.is_nan());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), level| (sum + level, count + 1.0));
            sum / count
        };
        let means: Vec<f64> = edge.iter().map(mean).collect();
        for (at, mean) in edge.iter().zip(means) {
            levels[*at] = mean;
        }
        let mut next = Vec::new();
        for at in &edge {
            for other in neighbours(*at, width, height) {
                if levels[other].is_nan() && !queued[other] {
                    queued[other] = true;
                    next.push(other);
                }
            }
        }
        edge = next;
    }
    Ok(missing)
}

fn neighbours(at: usize, width: usize, height: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (at % width, at / width);
    let rows = y.saturating_sub(1)..(y + 2).min(height);
    rows.flat_map(move |row| (x.saturating_sub(1)..(x + 2).min(width)).map(move |x| row * width + x))
        .filter(move |other| *other != at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_from_their_surroundings() {
        let mut levels: Vec<f64> = (0..100).map(|at| f64::from(at % 10)).collect();
        let whole = levels.clone();
        for (x, y) in (3..7).flat_map(|x| (2..6).map(move |y| (x, y))) {
            levels[10 * y + x] = f64::NAN;
        }
        levels[0] = f64::NAN;
        assert_eq!(fill(&mut levels, 10), Ok(17));
        let worst = levels
            .iter()
            .zip(&whole)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(worst < 1.2, "{worst}");
        assert_eq!(fill(&mut levels, 10), Ok(0));
    }

    #[test]
    fn mostly_missing_models_are_refused() {
        let mut levels = vec![f64::NAN; 100];
        levels[..40].fill(1.0);
        assert_eq!(
            fill(&mut levels, 10).unwrap_err(),
            "60 of its pixels (60 %) have no data"
        );
    }
}
