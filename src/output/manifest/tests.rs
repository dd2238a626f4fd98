use super::*;

fn manifest() -> Manifest {
    Manifest {
        program: Manifest::program(),
        state: Status::Running,
        error: None,
        pipeline: PipelineEntry {
            title: "Snow".into(),
            file: "snow.json".into(),
            blake3: "ab".into(),
        },
        shaders: vec![ShaderHash {
            stage: "sor".into(),
            shader: "snow/sor.comp".into(),
            blake3: "cd".into(),
        }],
        device: Device {
            name: "llvmpipe".into(),
            driver: "25.0.7".into(),
            api_version: "1.4.305".into(),
        },
        ranks: None,
        worlds: None,
        seed: 1,
        dt: 1.0 / 30.0,
        frame_seconds: 1.0 / 30.0,
        parameters: BTreeMap::from([("tau".into(), vec![0.503])]),
        resumed_from: Some(50),
        steps: 240,
        frames: 120,
        outputs: BTreeMap::new(),
        wall_seconds: 2.5,
        steps_per_second: 96.0,
        flags: Flags::default(),
        startup: Some(Startup {
            device_ms: Some(120.5),
            shaders_ms: 12.0,
            ..Startup::default()
        }),
        stage_gpu_ms: vec![StageTime {
            stage: "sor".into(),
            samples: 240,
            median_ms: 1.25,
        }],
        sparse_grids: vec![SparseGridUse {
            grid: "air".into(),
            active_blocks: 110,
            resident_bytes: 36_044_800,
        }],
        particles: vec![ParticlesUse {
            set: "sparks".into(),
            capacity: 1000,
            live: 12,
            refused: 3,
        }],
        unfinished: vec![UnfinishedRepeat {
            repeat: "turn".into(),
            condition: "going".into(),
            times: 4,
            first_step: Some(12),
            first_frame: None,
        }],
    }
}

#[test]
fn manifest_round_trips() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    manifest.declare_output("view", Format::Png, 1, false);
    let path = manifest.write(directory.path()).unwrap();
    assert_eq!(path, directory.path().join("manifest.json"));
    manifest.state = Status::Failed;
    manifest.error = Some("disk full".into());
    manifest.write(directory.path()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains(r#""state": "failed""#) && text.ends_with("}\n"),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), manifest);
    assert!(serde_json::from_str::<Manifest>(&text.replace("\"dt\"", "\"d_t\"")).is_err());
}

#[test]
fn manifest_counts_files_per_output() {
    let mut manifest = manifest();
    manifest.declare_output("view", Format::Png, 1, false);
    manifest.declare_output("snow", Format::Npy, 2, true);
    for output in ["view", "snow"] {
        // Before its first file.
        let entry = &manifest.outputs[output];
        assert_eq!((entry.files, entry.bytes), (0, 0), "{output}");
    }
    let file = |frame, bytes| Written {
        output: "view".into(),
        frame,
        path: PathBuf::new(),
        bytes,
        grows: false,
        start: std::time::Instant::now(),
        end: std::time::Instant::now(),
        thread: 0,
        blake3: Some(blake3::hash(b"")),
    };
    for _ in 0..2 {
        manifest.count_files(&[file(0, 10), file(1, 5)]);
        let counts = |name: &str| {
            let OutputFiles {
                format, files, bytes, ..
            } = &manifest.outputs[name];
            (format.as_str(), *files, *bytes)
        };
        assert_eq!(counts("view"), ("png", 2, 15));
        assert_eq!(counts("snow"), ("npy", 0, 0));
    }
}
