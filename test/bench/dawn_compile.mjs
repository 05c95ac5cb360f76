// What Dawn (npm's `webgpu`) works from WGSL to a compute pipeline (the process's CPU time in µs, as `kem bench compile`
// has its thread's), as JSON: node dawn_compile.mjs ROUNDS ENTRY FILE; with an empty ENTRY the module alone.
// Each round's text differs by a comment, so that no cache of Dawn's answers. WEBGPU_MODULE and DAWN_FLAGS are as in
// test/conformance/dawn.mjs.
import { readFileSync } from "node:fs";

const { create, globals } = await import(process.env.WEBGPU_MODULE ?? "webgpu");
Object.assign(globalThis, globals);
const gpu = create((process.env.DAWN_FLAGS ?? "").split(",").filter(Boolean));
const adapter = await gpu.requestAdapter();
if (!adapter) {
  process.stderr.write("no adapter\n");
  process.exit(2);
}
const device = await adapter.requestDevice();

function worked() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const [rounds, entryPoint, file] = process.argv.slice(2);
const wgsl = readFileSync(file, "utf8");
const times = { module: [], pipeline: [] };
for (let round = 0; round < Number(rounds); ++round) {
  device.pushErrorScope("validation");
  const code = `${wgsl}\n// ${round}\n`;
  const begin = worked();
  const module = device.createShaderModule({ code });
  const made = worked();
  if (entryPoint) device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
  const end = worked();
  times.module.push(made - begin);
  times.pipeline.push(end - made);
  const error = await device.popErrorScope();
  if (error) {
    process.stderr.write(`${file}: error: ${error.message}\n`);
    process.exit(1);
  }
}
process.stdout.write(JSON.stringify(times) + "\n");
process.exit(0);
