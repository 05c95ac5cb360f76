// What calls cost through Dawn (npm's `webgpu`): node dawn_calls.mjs FOLDER LARGE_BYTES SECONDS
//
// FOLDER has double.wgsl and thirty-lines.wgsl. Prints rows as kem_bench_peers.erl reads them: a JSON array of objects of
// name, value and unit; the values are medians of what SECONDS each allow. WEBGPU_MODULE and DAWN_FLAGS are as in
// test/conformance/dawn.mjs; the driver is the one that the Vulkan loader finds (VK_DRIVER_FILES).
import { readFileSync } from "node:fs";

const { create, globals } = await import(process.env.WEBGPU_MODULE ?? "webgpu");
Object.assign(globalThis, globals);

const GROUP_WORDS = 256;
const MOST_GROUPS = 65535;
const [folder, largeBytes, seconds] = process.argv.slice(2);
if (seconds === undefined) fail("usage: dawn_calls.mjs FOLDER LARGE_BYTES SECONDS");

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

// One instance for all: Dawn does not survive many.
const gpu = create((process.env.DAWN_FLAGS ?? "").split(",").filter(Boolean));

async function open() {
  const adapter = await gpu.requestAdapter();
  if (!adapter) fail("Dawn has no adapter on this driver");
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
  return { device, largest: Math.min(maxBufferSize, maxStorageBufferBindingSize) };
}

function pipelineOf(device, code) {
  const module = device.createShaderModule({ code });
  return device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
}

// A kernel with buffers of its own for input, output and, if there are any, params.
function prepare(device, pipeline, bytes, params, groups) {
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const buffer = (size, usage) => device.createBuffer({ size, usage });
  const input = buffer(bytes, STORAGE | COPY_DST);
  const output = buffer(bytes, STORAGE | COPY_SRC);
  const staging = buffer(bytes, MAP_READ | COPY_DST);
  const buffers = [input, output];
  if (params) {
    const uniform = buffer(params.byteLength, UNIFORM | COPY_DST);
    device.queue.writeBuffer(uniform, 0, params);
    buffers.push(uniform);
  }
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((one, binding) => ({ binding, resource: { buffer: one } })),
  });
  return { pipeline, bindings, input, output, staging, groups, bytes };
}

function doubling(device, code, bytes) {
  const groups = Math.ceil(bytes / 4 / GROUP_WORDS);
  const rows = Math.ceil(groups / MOST_GROUPS);
  return prepare(device, pipelineOf(device, code), bytes, null, [Math.ceil(groups / rows), rows]);
}

// Input to the device, kernel, output back as a copy.
async function run(device, call, input) {
  device.queue.writeBuffer(call.input, 0, input);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(call.pipeline);
  pass.setBindGroup(0, call.bindings);
  pass.dispatchWorkgroups(...call.groups);
  pass.end();
  encoder.copyBufferToBuffer(call.output, 0, call.staging, 0, call.bytes);
  device.queue.submit([encoder.finish()]);
  await call.staging.mapAsync(GPUMapMode.READ);
  const output = new Uint32Array(call.staging.getMappedRange().slice(0));
  call.staging.unmap();
  return output;
}

// The median of as many rounds as the time allows, three at least, after one that is not counted; microseconds.
async function median(work) {
  await work(0);
  const taken = [];
  const end = performance.now() + Number(seconds) * 1000;
  while (taken.length < 3 || performance.now() < end) {
    const begin = performance.now();
    await work(taken.length + 1);
    taken.push((performance.now() - begin) * 1000);
  }
  taken.sort((a, b) => a - b);
  return taken[taken.length >> 1];
}

function words(count) {
  return Uint32Array.from({ length: count }, (_, i) => i);
}

function checkDoubled(input, output) {
  if (!input.every((word, i) => output[i] === word * 2 >>> 0)) fail("the output is not the input doubled");
}

async function warm(device, code, bytes) {
  const call = doubling(device, code, bytes);
  const input = words(bytes / 4);
  let output;
  const taken = await median(async () => { output = await run(device, call, input); });
  checkDoubled(input, output);
  return taken;
}

// As the Rust device does it, but for the instance: adapter, device, kernel and buffers, all for one call.
async function onNewDevice(code) {
  const input = words(4);
  let output;
  const taken = await median(async () => {
    const { device } = await open();
    output = await run(device, doubling(device, code, 16), input);
    device.destroy();
  });
  checkDoubled(input, output);
  return taken;
}

// A text that was not seen before, to its first output.
async function newKernel(device, code) {
  const side = 16;
  const params = new DataView(new ArrayBuffer(16));
  [side, side, 1].forEach((word, i) => params.setUint32(4 * i, word, true));
  params.setFloat32(12, 0.5, true);
  const input = words(side * side);
  // Drivers have caches on disk: no number of a run before. Below what an f32 holds exactly.
  const salt = Math.floor(Date.now() / 16) % 2 ** 23;
  return median((round) => {
    const text = code.replace("(side * side)", `(side * side + ${salt + round}.0)`);
    return run(device, prepare(device, pipelineOf(device, text), input.byteLength, params.buffer, [1, 1]), input);
  });
}

const double = readFileSync(`${folder}/double.wgsl`, "utf8");
const thirty = readFileSync(`${folder}/thirty-lines.wgsl`, "utf8");
const { device, largest } = await open();
const rows = [
  ["16-byte call", await warm(device, double, 16)],
  ["16-byte call, new device", await onNewDevice(double)],
  ["new kernel", await newKernel(device, thirty)],
];
if (Number(largeBytes) <= largest) rows.push(["large call", await warm(device, double, Number(largeBytes))]);
process.stdout.write(JSON.stringify(rows.map(([name, value]) => ({ name, value, unit: "us" }))) + "\n");
process.exit(0);
