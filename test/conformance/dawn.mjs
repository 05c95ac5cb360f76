// Dawn (npm's `webgpu`) as a peer: reads requests on standard input, answers on descriptor 3 (Dawn itself prints
// warnings on standard output).
//   node dawn.mjs check   request = u32 LE length, WGSL; reply = u8 (0 accepted, 1 refused), u32 LE length, text.
//                         A first line `//!pipeline entry=NAME const:NAME=VALUE ...` as `kem check --serve` has it
//   node dawn.mjs exec    request and reply as `kem exec --serve` has them
// WEBGPU_MODULE names the package's index.js where Node cannot find it; DAWN_FLAGS is a comma-separated list for
// create(), e.g. backend=null to check without a GPU.
import { writeSync, readSync } from "node:fs";

const { create, globals } = await import(process.env.WEBGPU_MODULE ?? "webgpu");
Object.assign(globalThis, globals);
const gpu = create((process.env.DAWN_FLAGS ?? "").split(",").filter(Boolean));
const adapter = await gpu.requestAdapter();
if (!adapter) {
  process.stderr.write("dawn.mjs: no adapter\n");
  process.exit(2);
}
const wanted = ["shader-f16", "subgroups", "clip-distances", "dual-source-blending", "primitive-index",
                "subgroup-size-control"];
const device = await adapter.requestDevice({ requiredFeatures: wanted.filter((f) => adapter.features.has(f)) });

function readExactly(n) {
  const out = Buffer.alloc(n);
  for (let at = 0; at < n; ) {
    const got = readSync(0, out, at, n - at, null);
    if (got === 0) process.exit(0);
    at += got;
  }
  return out;
}

function reply(status, bytes) {
  const head = Buffer.alloc(5);
  head.writeUInt8(status, 0);
  head.writeUInt32LE(bytes.length, 1);
  for (let out = Buffer.concat([head, bytes]); out.length > 0; ) out = out.subarray(writeSync(3, out));
}

// The entry point and the constants of a `//!pipeline` line; undefined if the source has none.
function pipelineOf(wgsl) {
  if (!wgsl.startsWith("//!pipeline")) return undefined;
  const stage = { constants: {} };
  for (const word of wgsl.split("\n", 1)[0].split(/\s+/).slice(1)) {
    if (word.startsWith("entry=")) stage.entryPoint = word.slice(6);
    if (!word.startsWith("const:")) continue;
    const equals = word.lastIndexOf("=");
    stage.constants[word.slice(6, equals)] = Number(word.slice(equals + 1));
  }
  return stage;
}

async function check(wgsl) {
  const stage = pipelineOf(wgsl);
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: wgsl });
  const info = await module.getCompilationInfo();
  await device.popErrorScope();
  const text = info.messages.map((m) => `${m.lineNum}:${m.linePos} ${m.type}: ${m.message}`).join("\n");
  if (info.messages.some((m) => m.type === "error")) return [1, Buffer.from(text)];
  if (stage === undefined) return [0, Buffer.from(text)];
  device.pushErrorScope("validation");
  device.createComputePipeline({ layout: "auto", compute: { module, ...stage } });
  const error = await device.popErrorScope();
  return [error ? 1 : 0, Buffer.from(error ? error.message : text)];
}

async function exec(body) {
  const jsonLength = body.readUInt32LE(0);
  const request = JSON.parse(body.subarray(4, 4 + jsonLength).toString());
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: request.wgsl });
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module, entryPoint: request.entry, constants: request.constants ?? {} },
  });
  const groups = new Map();
  const buffers = [];
  let at = 4 + jsonLength;
  for (const { group, binding, size } of request.bindings) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size, usage });
    device.queue.writeBuffer(buffer, 0, body.subarray(at, at + size));
    at += size;
    buffers.push({ buffer, size });
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push({ binding, resource: { buffer } });
  }
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  for (const [group, entries] of groups) {
    pass.setBindGroup(group, device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
  }
  pass.dispatchWorkgroups(...request.workgroups);
  pass.end();
  const total = buffers.reduce((sum, b) => sum + b.size, 0);
  const readback = device.createBuffer({ size: total, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  let offset = 0;
  for (const { buffer, size } of buffers) {
    encoder.copyBufferToBuffer(buffer, 0, readback, offset, size);
    offset += size;
  }
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) return [1, Buffer.from(error.message)];
  await readback.mapAsync(GPUMapMode.READ);
  const bytes = Buffer.from(readback.getMappedRange().slice(0));
  readback.destroy();
  for (const { buffer } of buffers) buffer.destroy();
  return [0, bytes];
}

const serve = process.argv[2] === "exec" ? exec : (body) => check(body.toString());
for (;;) {
  const length = readExactly(4).readUInt32LE(0);
  const body = readExactly(length);
  try {
    reply(...(await serve(body)));
  } catch (error) {
    reply(1, Buffer.from(String(error)));
  }
}
