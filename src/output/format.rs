//! The names of the file formats. The properties and the encoder of each are in its file in `formats`.

macro_rules! formats {
    ($($name:ident = $word:literal,)*) => {
        /// A file format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $($name,)*
        }

        impl Format {
            pub const ALL: &[Format] = &[$(Format::$name),*];

            /// Both the name in pipeline files and the file name's extension.
            pub fn extension(self) -> &'static str {
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
    Bgeo = "bgeo",
    Vti = "vti",
    Vtp = "vtp",
    Nrrd = "nrrd",
    Vdb = "vdb",
    Mp4 = "mp4",
}
