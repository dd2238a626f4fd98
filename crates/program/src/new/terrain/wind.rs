//! The wind at a site, as meteorologists state it.

use std::str::FromStr;

/// Von Karman's constant.
const KARMAN: f64 = 0.4;
/// The height of the wind above the ground, m.
const HEIGHT: f64 = 10.0;

/// The wind 10 m above the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wind {
    /// m/s
    pub speed: f64,
    /// Where it comes from, degrees clockwise from north.
    pub from: f64,
}

impl FromStr for Wind {
    type Err = String;

    fn from_str(text: &str) -> Result<Wind, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        let Ok([speed, from]) = numbers.as_deref() else {
            return Err(
                "not two numbers with a comma between them, a speed in m/s and a direction in degrees".into(),
            );
        };
        if !(*speed > 0.0 && speed.is_finite()) {
            return Err(format!("the speed {speed} is not above 0 m/s"));
        }
        if !(0.0..=360.0).contains(from) {
            return Err(format!("the direction {from} is not from 0 to 360 degrees"));
        }
        Ok(Wind {
            speed: *speed,
            from: *from,
        })
    }
}

impl Wind {
    /// The friction velocity over ground with this roughness, m/s: the law of the wall (Prandtl 1932).
    pub(super) fn friction(&self, roughness: f64) -> f64 {
        KARMAN * self.speed / (HEIGHT / roughness).ln()
    }

    /// The speed of the wind with this friction velocity, m/s.
    pub(super) fn speed_of(friction: f64, roughness: f64) -> f64 {
        friction / KARMAN * (HEIGHT / roughness).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_is_a_speed_and_a_direction() {
        let wind = Wind {
            speed: 12.0,
            from: 247.5,
        };
        assert_eq!("12, 247.5".parse(), Ok(wind));
        // 12 m/s over 1 mm: 0.4 * 12 / ln(10,000).
        assert!(
            (wind.friction(1e-3) - 0.5212).abs() < 1e-4,
            "{}",
            wind.friction(1e-3)
        );
        assert!((Wind::speed_of(wind.friction(1e-3), 1e-3) - 12.0).abs() < 1e-12);
        let refused = |text: &str| text.parse::<Wind>().unwrap_err();
        for text in ["12", "12,x", "12,270,1", ""] {
            assert!(refused(text).contains("not two numbers"), "{text}");
        }
        for text in ["0,270", "-3,270", "nan,270", "inf,270"] {
            assert!(refused(text).contains("above 0"), "{text}");
        }
        for text in ["12,-1", "12,361", "12,nan"] {
            assert!(refused(text).contains("0 to 360"), "{text}");
        }
    }
}
