//! A sparse buffer that kernels write and check.

use super::*;

/// A sparse buffer of some pages with the kernels that write and check them.
pub struct Field<'a> {
    gpu: &'a Gpu,
    pub buffer: SparseBuffer,
    pub page: u64,
    write: ComputePipeline,
    check: ComputePipeline,
}

impl Field<'_> {
    pub fn new(gpu: &Gpu, pages: u64) -> Field<'_> {
        let page = gpu.sparse_granularity().unwrap();
        let buffer = gpu.sparse_buffer("field", pages * page).unwrap();
        assert_eq!((buffer.size(), buffer.granularity()), (pages * page, page));
        assert_ne!(buffer.address(), 0);
        let code = spirv(PAGES);
        let pipeline = |name, mode| {
            let constants = [(0, mode), (1, page as u32 / 4)];
            gpu.pipeline(&ComputePipelineInfo {
                name,
                spirv: &code,
                constants: &constants,
            })
            .unwrap()
        };
        let (write, check) = (pipeline("write pages", 0), pipeline("check pages", 1));
        Field {
            gpu,
            buffer,
            page,
            write,
            check,
        }
    }

    pub fn memory(&self, pages: u64) -> PageMemory {
        self.gpu
            .page_memory("pages", pages * self.page, &self.buffer)
            .unwrap()
    }

    pub fn entry(&self, place: u64, memory: Option<(&PageMemory, u64)>) -> BindEntry {
        BindEntry {
            offset: place * self.page,
            bytes: self.page,
            memory: memory.map(|(memory, page)| (memory.clone(), page * self.page)),
        }
    }

    pub fn bind(&self, entries: &[BindEntry]) {
        let done = self.gpu.timeline("bound").unwrap();
        let binds = [Bind {
            buffer: &self.buffer,
            entries,
        }];
        self.gpu.bind(&[], &binds, &[(done.clone(), 1)]).unwrap();
        assert!(done.wait(1, LIMIT).unwrap());
    }

    /// The argument block for pages (place, base), and the counters behind it.
    pub fn arguments(&self, pages: &[(u64, u32)]) -> Arguments {
        let list = self
            .gpu
            .buffer("list", pages.len() as u64 * 16, BufferKind::Upload)
            .unwrap();
        for (i, (place, base)) in pages.iter().enumerate() {
            let at = 16 * i as u64;
            list.write(at, &(place * self.page).to_ne_bytes()).unwrap();
            list.write(at + 8, &base.to_ne_bytes()).unwrap();
        }
        let wrong = self
            .gpu
            .buffer("wrong", pages.len() as u64 * 4, BufferKind::Device)
            .unwrap();
        let block = self.gpu.buffer("arguments", 24, BufferKind::Upload).unwrap();
        for (at, address) in [
            (0, self.buffer.address()),
            (8, list.address()),
            (16, wrong.address()),
        ] {
            block.write(at, &address.to_ne_bytes()).unwrap();
        }
        Arguments { block, list, wrong }
    }

    pub fn record_write(
        &self,
        r: &mut Recorder,
        arguments: &Arguments,
        pages: usize,
    ) -> Result<(), GpuError> {
        r.hold_sparse(&self.buffer)?;
        r.hold(&arguments.list)?;
        r.hold(&arguments.block)?;
        r.dispatch(&self.write, arguments.block.address(), [pages as u32, 1, 1])?;
        r.full_barrier();
        Ok(())
    }

    pub fn write(&self, pages: &[(u64, u32)]) {
        let arguments = self.arguments(pages);
        run_on(self.gpu, Queue::Compute, |r| {
            self.record_write(r, &arguments, pages.len())
        });
    }

    #[track_caller]
    pub fn assert_holds(&self, pages: &[(u64, u32)]) {
        let none: [u64; 0] = [];
        assert_eq!(self.wrong(pages), none, "places of pages with other contents");
    }

    /// The pages whose contents are not as listed.
    pub fn wrong(&self, pages: &[(u64, u32)]) -> Vec<u64> {
        let arguments = self.arguments(pages);
        run_on(self.gpu, Queue::Compute, |r| {
            r.fill(&arguments.wrong, 0)?;
            r.full_barrier();
            r.dispatch(&self.check, arguments.block.address(), [pages.len() as u32, 1, 1])
        });
        let wrong = words(&contents(self.gpu, &arguments.wrong));
        let places = pages.iter().zip(wrong).filter(|(_, wrong)| *wrong > 0);
        places.map(|((place, _), _)| *place).collect()
    }
}

pub struct Arguments {
    block: Buffer,
    list: Buffer,
    wrong: Buffer,
}
