//! The GeoKeys of GeoTIFF files: the coordinate system of a map.

use crate::heights::georeference::{GeoKeys, Projection};

/// Numbers of keys, and values with a meaning of their own.
pub(super) mod key {
    pub const MODEL_TYPE: u16 = 1024;
    pub const RASTER_TYPE: u16 = 1025;
    pub const CITATION: u16 = 1026;
    pub const GEOGRAPHIC_SYSTEM: u16 = 2048;
    pub const ANGULAR_UNIT: u16 = 2054;
    pub const PROJECTED_SYSTEM: u16 = 3072;
    pub const PROJECTED_CITATION: u16 = 3073;
    pub const LINEAR_UNIT: u16 = 3076;
    pub const VERTICAL_UNIT: u16 = 4099;
    /// Keys of the vertical coordinate system.
    pub const VERTICAL: std::ops::RangeInclusive<u16> = 4096..=4099;

    pub const PROJECTED: u16 = 1;
    pub const GEOGRAPHIC: u16 = 2;
    pub const IS_AREA: u16 = 1;
    pub const IS_POINT: u16 = 2;
    pub const METRE: u16 = 9001;
    pub const USER_DEFINED: u16 = 32767;
    /// The tags that hold values of keys.
    pub const DOUBLES: u16 = 34736;
    pub const TEXT: u16 = 34737;
}

/// The start of a citation that is well-known text.
const CITED: &str = "ESRI PE String = ";
/// Maximum length of such a text: GDAL reads 2400 characters.
const MAX_CITATION: usize = 2300;

impl GeoKeys {
    /// From the values of the three tags. Entries are left out that are incomplete, or whose values are missing, such as
    /// those of a text that is not UTF-8.
    pub(super) fn read(directory: &[u16], doubles: Vec<f64>, text: String) -> GeoKeys {
        let text = text.trim_end_matches('\0').to_owned();
        let is_there = |[_, tag, count, first]: &[u16; 4]| {
            let end = usize::from(*first) + usize::from(*count);
            match *tag {
                key::TEXT => end <= text.len(),
                key::DOUBLES => end <= doubles.len(),
                _ => true,
            }
        };
        let (version, entries) = match directory {
            [version, revision, minor, _, entries @ ..] => ([*version, *revision, *minor], entries),
            _ => ([1, 1, 0], &[][..]),
        };
        GeoKeys {
            version,
            entries: (entries.chunks_exact(4))
                .map(|entry| [entry[0], entry[1], entry[2], entry[3]])
                .filter(is_there)
                .collect(),
            doubles,
            text,
        }
    }

    /// The value of a key that the directory itself holds.
    pub(super) fn value(&self, wanted: u16) -> Option<u16> {
        let mut entries = self.entries.iter();
        entries
            .find(|[key, tag, ..]| *key == wanted && *tag == 0)
            .map(|entry| entry[3])
    }

    /// The coordinate system as well-known text, if a citation has it.
    pub fn wkt(&self) -> Option<&str> {
        let mut entries = self.entries.iter();
        let [.., count, first] =
            entries.find(|[key, tag, ..]| *key == key::PROJECTED_CITATION && *tag == key::TEXT)?;
        let text = self.text.get(usize::from(*first)..)?.get(..usize::from(*count))?;
        text.strip_prefix(CITED).map(|text| text.trim_end_matches('|'))
    }

    /// The EPSG code of the system.
    pub fn code(&self) -> Option<u16> {
        let system = match self.value(key::MODEL_TYPE)? {
            key::PROJECTED => key::PROJECTED_SYSTEM,
            key::GEOGRAPHIC => key::GEOGRAPHIC_SYSTEM,
            _ => return None,
        };
        self.value(system).filter(|code| *code != key::USER_DEFINED)
    }

    /// Sets a key that the directory itself holds. Keys are in ascending order.
    fn set(&mut self, key: u16, value: u16) {
        self.entries.retain(|entry| entry[0] != key);
        self.add([key, 0, 1, value]);
    }

    fn set_text(&mut self, key: u16, text: &str) {
        let first = self.text.len() as u16;
        self.text.push_str(text);
        self.text.push('|');
        self.add([key, key::TEXT, text.len() as u16 + 1, first]);
    }

    fn add(&mut self, entry: [u16; 4]) {
        self.entries.push(entry);
        self.entries.sort_by_key(|entry| entry[0]);
    }

    pub(super) fn new() -> GeoKeys {
        GeoKeys::read(&[], Vec::new(), String::new())
    }

    /// The coordinate system of a pipeline: metres.
    pub(super) fn local() -> GeoKeys {
        let mut keys = GeoKeys::new();
        keys.set(key::MODEL_TYPE, key::USER_DEFINED);
        keys.set_text(key::CITATION, "local, metres");
        keys.set(key::LINEAR_UNIT, key::METRE);
        keys
    }

    /// These keys for values of points or areas which are not heights: without the unit and the datum of heights.
    pub(super) fn for_values(&self, is_point: bool) -> GeoKeys {
        let mut keys = self.clone();
        keys.entries.retain(|entry| !key::VERTICAL.contains(&entry[0]));
        // Without the key, values are those of areas.
        if is_point != (keys.value(key::RASTER_TYPE) == Some(key::IS_POINT)) {
            keys.set(
                key::RASTER_TYPE,
                if is_point { key::IS_POINT } else { key::IS_AREA },
            );
        }
        keys
    }

    /// The directory tag.
    pub(super) fn directory(&self) -> Vec<u16> {
        let [version, revision, minor] = self.version;
        let header = [version, revision, minor, self.entries.len() as u16];
        header
            .into_iter()
            .chain(self.entries.iter().flatten().copied())
            .collect()
    }
}

impl Projection {
    /// The EPSG code of the system, if it has one.
    pub fn code(&self) -> Option<u16> {
        match self {
            Projection::Keys(keys) => keys.code(),
            Projection::Text(text) => from_wkt(text)?.code(),
            Projection::Unknown | Projection::Local => None,
        }
    }
}

/// The keys of a coordinate system in well-known text, the contents of a `.prj`: its EPSG code if it has one, else the
/// text itself in a citation of ESRI's form, which GDAL reads. `None` for other texts.
pub fn from_wkt(text: &str) -> Option<GeoKeys> {
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let (model, system) = if upper.starts_with("PROJCS[") {
        (key::PROJECTED, key::PROJECTED_SYSTEM)
    } else if upper.starts_with("GEOGCS[") {
        (key::GEOGRAPHIC, key::GEOGRAPHIC_SYSTEM)
    } else {
        return None;
    };
    let mut keys = GeoKeys::new();
    match epsg_code(&upper) {
        Some(code) => {
            keys.set(key::MODEL_TYPE, model);
            keys.set(system, code);
        }
        None if text.len() < MAX_CITATION => {
            keys.set(key::MODEL_TYPE, key::USER_DEFINED);
            keys.set_text(key::PROJECTED_CITATION, &format!("{CITED}{text}"));
        }
        None => return None,
    }
    Some(keys)
}

/// The code of `...,AUTHORITY["EPSG","32633"]]`: that of the system itself is the last one.
fn epsg_code(upper: &str) -> Option<u16> {
    let plain: String = upper.chars().filter(|c| !c.is_whitespace()).collect();
    let (_, end) = plain.rsplit_once("AUTHORITY[\"EPSG\",")?;
    // The outermost bracket closes after it.
    let code = end.strip_suffix("]]")?;
    code.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTM: &str = "PROJCS[\"WGS_1984_UTM_Zone_33N\",GEOGCS[\"GCS_WGS_1984\"],PROJECTION[\"Transverse_Mercator\"],UNIT[\"Meter\",1.0]]";

    #[test]
    fn projections_of_texts_become_keys() {
        let coded =
            "PROJCS[\"x\", GEOGCS[\"y\", AUTHORITY[\"EPSG\", \"4326\"]], AUTHORITY[\"EPSG\", \"32633\"]]\n";
        let keys = from_wkt(coded).unwrap();
        assert_eq!(keys.entries, [[1024, 0, 1, 1], [3072, 0, 1, 32633]]);
        // The code of the inner system alone is not that of the map.
        let inner = "PROJCS[\"x\",GEOGCS[\"y\",AUTHORITY[\"EPSG\",\"4326\"]],UNIT[\"Meter\",1.0]]";
        assert_eq!(from_wkt(inner).unwrap().wkt(), Some(inner));
        let cited = from_wkt(UTM).unwrap();
        assert_eq!(cited.text, format!("ESRI PE String = {UTM}|"));
        assert_eq!(cited.entries[1], [3073, 34737, cited.text.len() as u16, 0]);
        assert_eq!((cited.wkt(), from_wkt(coded).unwrap().wkt()), (Some(UTM), None));
        assert_eq!(from_wkt(&UTM.replace("Meter", &"x".repeat(2300))), None);
        assert_eq!(from_wkt("Projection UTM\nZone 33"), None);
    }

    #[test]
    fn keys_of_heights_are_left_out_and_others_stay() {
        let directory = [1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 32633, 4099, 0, 1, 9002];
        let keys = GeoKeys::read(&directory, vec![], String::new());
        let missing = [1, 1, 0, 2, 1024, 0, 1, 1, 1026, 34737, 5, 0];
        let without = GeoKeys::read(&missing, vec![], "four".into());
        assert_eq!(without.entries, [[1024, 0, 1, 1]]);
        assert_eq!(GeoKeys::read(&missing, vec![], "five|".into()).entries.len(), 2);
        let values = keys.for_values(false);
        assert_eq!(values.directory(), [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32633]);
        assert_eq!(values.for_values(true).entries[1], [1025, 0, 1, 2]);
        assert_eq!(
            values.for_values(true).for_values(false).entries[1],
            [1025, 0, 1, 1]
        );
    }
}
