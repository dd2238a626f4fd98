//! The names of the file formats. The properties and the encoder of each are in its file in `formats`.

/// The program and its version, for files that name their creator.
pub(super) const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

macro_rules! formats {
    ($($name:ident = $word:literal,)*) => {
        /// A file format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $($name,)*
        }

        impl Format {
            pub const ALL: &[Format] = &[$(Format::$name),*];

            /// The name in pipeline files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Format::$name => $word,)*
                }
            }
        }
    };
}

formats! {
    Png = "png",
    Exr = "exr",
    Npy = "npy",
    Npz = "npz",
    Ply = "ply",
    Obj = "obj",
    Bgeo = "bgeo",
    Vti = "vti",
    Vtp = "vtp",
    Vtkhdf = "vtkhdf",
    Nrrd = "nrrd",
    Vdb = "vdb",
    Usda = "usda",
    Geotiff = "geotiff",
    Asc = "asc",
    Mp4 = "mp4",
}

impl Format {
    /// The extension of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Geotiff => "tif",
            other => other.name(),
        }
    }
}
