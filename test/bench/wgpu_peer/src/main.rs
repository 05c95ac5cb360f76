//! What calls cost through wgpu: wgpu_peer FOLDER LARGE_BYTES SECONDS
//!
//! FOLDER has double.wgsl and thirty-lines.wgsl. Prints rows as kem_bench_peers.erl reads them: a JSON array of objects
//! of name, value and unit; the values are medians of what SECONDS each allow. The driver is the one that the Vulkan
//! loader finds (VK_DRIVER_FILES).

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: wgpu_peer FOLDER LARGE_BYTES SECONDS";
const GROUP_WORDS: u64 = 256;
const MOST_GROUPS: u64 = 65_535;

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open() -> Outcome<Gpu> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        }))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        }))?;
        Ok(Gpu { device, queue })
    }

    fn largest(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_buffer_size.min(limits.max_storage_buffer_binding_size.into())
    }

    fn pipeline(&self, wgsl: &str) -> wgpu::ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    /// A kernel with buffers of its own for input, output and, if there are any, params.
    fn call(&self, pipeline: wgpu::ComputePipeline, bytes: u64, params: &[u8], groups: (u32, u32)) -> Call {
        use wgpu::BufferUsages as Usage;
        let input = self.buffer(bytes, Usage::STORAGE | Usage::COPY_DST);
        let output = self.buffer(bytes, Usage::STORAGE | Usage::COPY_SRC);
        let staging = self.buffer(bytes, Usage::MAP_READ | Usage::COPY_DST);
        let uniform = (!params.is_empty()).then(|| {
            let buffer = self.buffer(params.len() as u64, Usage::UNIFORM | Usage::COPY_DST);
            self.queue.write_buffer(&buffer, 0, params);
            buffer
        });
        let entries: Vec<_> = [Some(&input), Some(&output), uniform.as_ref()]
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Call { pipeline, bindings, input, output, staging, groups }
    }

    fn doubling(&self, wgsl: &str, bytes: u64) -> Call {
        let groups = (bytes / 4).div_ceil(GROUP_WORDS);
        let rows = groups.div_ceil(MOST_GROUPS);
        self.call(self.pipeline(wgsl), bytes, &[], (groups.div_ceil(rows) as u32, rows as u32))
    }
}

struct Call {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    input: wgpu::Buffer,
    output: wgpu::Buffer,
    staging: wgpu::Buffer,
    groups: (u32, u32),
}

impl Call {
    /// Input to the device, kernel, output back into `out`.
    fn run(&self, gpu: &Gpu, input: &[u8], out: &mut [u8]) -> Outcome<()> {
        gpu.queue.write_buffer(&self.input, 0, input);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bindings, &[]);
            pass.dispatch_workgroups(self.groups.0, self.groups.1, 1);
        }
        encoder.copy_buffer_to_buffer(&self.output, 0, &self.staging, 0, out.len() as u64);
        gpu.queue.submit([encoder.finish()]);
        self.staging.map_async(wgpu::MapMode::Read, .., |_| ());
        gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
        out.copy_from_slice(&self.staging.get_mapped_range(..)?);
        self.staging.unmap();
        Ok(())
    }
}

/// The median of as many rounds as the time allows, three at least, after one that is not counted; microseconds.
fn median(time: Duration, mut work: impl FnMut(usize) -> Outcome<()>) -> Outcome<f64> {
    work(0)?;
    let mut taken = Vec::new();
    let begin = Instant::now();
    while taken.len() < 3 || begin.elapsed() < time {
        let round = Instant::now();
        work(taken.len() + 1)?;
        taken.push(round.elapsed().as_secs_f64() * 1e6);
    }
    taken.sort_by(f64::total_cmp);
    Ok(taken[taken.len() / 2])
}

fn words(count: u64) -> Vec<u8> {
    (0..count as u32).flat_map(|word| word.to_le_bytes()).collect()
}

fn check_doubled(input: &[u8], output: &[u8]) -> Outcome<()> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let right = input.chunks(4).zip(output.chunks(4)).all(|(i, o)| word(o) == word(i).wrapping_mul(2));
    right.then_some(()).ok_or_else(|| "the output is not the input doubled".into())
}

fn call_warm(gpu: &Gpu, wgsl: &str, bytes: u64, time: Duration) -> Outcome<f64> {
    let call = gpu.doubling(wgsl, bytes);
    let input = words(bytes / 4);
    let mut output = vec![0; input.len()];
    let taken = median(time, |_| call.run(gpu, &input, &mut output))?;
    check_doubled(&input, &output)?;
    Ok(taken)
}

/// As the Rust device does it: instance, adapter, device, kernel and buffers, all for one call.
fn call_on_new_device(wgsl: &str, time: Duration) -> Outcome<f64> {
    let input = words(4);
    let mut output = vec![0; input.len()];
    let taken = median(time, |_| {
        let gpu = Gpu::open()?;
        gpu.doubling(wgsl, input.len() as u64).run(&gpu, &input, &mut output)
    })?;
    check_doubled(&input, &output)?;
    Ok(taken)
}

/// A text that was not seen before, to its first output.
fn new_kernel(gpu: &Gpu, wgsl: &str, time: Duration) -> Outcome<f64> {
    const SIDE: u32 = 16;
    let params: Vec<u8> =
        [SIDE, SIDE, 1, 0.5f32.to_bits()].into_iter().flat_map(u32::to_le_bytes).collect();
    let input = words(u64::from(SIDE * SIDE));
    let mut output = vec![0; input.len()];
    // Drivers have caches on disk: no number of a run before. Below what an f32 holds exactly.
    let salt = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() / 16 % (1 << 23);
    median(time, |round| {
        let text = wgsl.replace("(side * side)", &format!("(side * side + {}.0)", salt + round as u128));
        let call = gpu.call(gpu.pipeline(&text), input.len() as u64, &params, (1, 1));
        call.run(gpu, &input, &mut output)
    })
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, large, seconds] = arguments.as_slice() else { return Err(USAGE.into()) };
    let double = fs::read_to_string(format!("{folder}/double.wgsl"))?;
    let thirty = fs::read_to_string(format!("{folder}/thirty-lines.wgsl"))?;
    let (large, time) = (large.parse()?, Duration::from_secs_f64(seconds.parse()?));
    let gpu = Gpu::open()?;
    let mut rows = vec![
        ("16-byte call", call_warm(&gpu, &double, 16, time)?),
        ("16-byte call, new device", call_on_new_device(&double, time)?),
        ("new kernel", new_kernel(&gpu, &thirty, time)?),
    ];
    if large <= gpu.largest() {
        rows.push(("large call", call_warm(&gpu, &double, large, time)?));
    }
    let rows: Vec<String> = rows
        .iter()
        .map(|(name, value)| format!("{{\"name\":\"{name}\",\"value\":{value:.1},\"unit\":\"us\"}}"))
        .collect();
    println!("[{}]", rows.join(","));
    Ok(())
}
