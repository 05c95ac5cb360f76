// Runs tests of the WebGPU conformance test suite (gpuweb/cts), from a checkout outside this repository, with
// `kem check --serve` for a device.
//   node cts.cjs CHECKOUT OUT.jsonl QUERY...      e.g. 'webgpu:shader,validation,parse,*'
// CHECKOUT holds the suite as JavaScript (CommonJS) under out/src:
//   esbuild $(find src/common src/webgpu -name '*.ts') --outdir=out/src --outbase=src --format=cjs --platform=node
//   and src/external copied there. KEM names the program (build/kem).
// Every failure is a line of OUT: the test, the source, what was expected, what kem said. Ends with the totals.
// Only what shader validation needs of WebGPU is here: shader modules, compute pipelines, error scopes.
const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");

const [checkout, outPath, ...queries] = process.argv.slice(2);
const root = path.resolve(checkout, "out/src");
const load = (file) => require(path.join(root, file));
const out = fs.openSync(outPath, "w");
const counts = { asked: 0, wrong: 0 };
let current = "";

function record(row) {
  fs.writeSync(out, JSON.stringify({ test: current, ...row }) + "\n");
}

// kem over two named pipes: the suite asks synchronously.
class Checker {
  constructor(program) {
    const base = path.join(fs.mkdtempSync("/tmp/cts-"), "pipe");
    for (const end of ["in", "out"]) childProcess.execFileSync("mkfifo", [`${base}.${end}`]);
    const command = 'exec "$0" check --serve < "$1.in" > "$1.out"';
    this.process = childProcess.spawn("sh", ["-c", command, program, base], { stdio: ["ignore", "ignore", "inherit"] });
    this.input = fs.openSync(`${base}.in`, "w");
    this.output = fs.openSync(`${base}.out`, "r");
    fs.rmSync(path.dirname(base), { recursive: true });
  }
  read(size) {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; ) {
      const got = fs.readSync(this.output, bytes, at, size - at, null);
      if (got === 0) throw new Error(`kem ended in ${current}`);
      at += got;
    }
    return bytes;
  }
  // {valid, text}
  ask(source) {
    counts.asked++;
    const body = Buffer.from(source);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    const request = Buffer.concat([head, body]);
    for (let at = 0; at < request.length; ) at += fs.writeSync(this.input, request, at);
    const reply = this.read(5);
    return { valid: reply[0] === 0, text: this.read(reply.readUInt32LE(1)).toString() };
  }
}
const checker = new Checker(process.env.KEM ?? path.join(__dirname, "../../build/kem"));

function pipelineLine({ entryPoint, constants }) {
  const words = ["//!pipeline"];
  if (entryPoint !== undefined) words.push(`entry=${entryPoint}`);
  for (const [name, value] of Object.entries(constants ?? {})) words.push(`const:${name}=${value}`);
  return words.join(" ");
}

const askPipeline = ({ compute }) => checker.ask(`${pipelineLine(compute)}\n${compute.module.code}`);

class ErrorWithMessage {
  constructor(message) {
    this.message = message;
  }
}
globalThis.GPUError = class extends ErrorWithMessage {};
globalThis.GPUValidationError = class extends GPUError {};
globalThis.GPUOutOfMemoryError = class extends GPUError {};
globalThis.GPUInternalError = class extends GPUError {};
for (const name of ["GPUBufferUsage", "GPUTextureUsage", "GPUColorWrite", "GPUMapMode"]) globalThis[name] = {};
globalThis.GPUShaderStage = { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };

const features = new Set(["core-features-and-limits", "shader-f16", "subgroups"]);
const defaults = Object.entries(load("webgpu/capability_info.js").getDefaultLimits("core"));
const limits = Object.fromEntries(defaults.map(([name, limit]) => [name, limit.default]));

class Device {
  constructor() {
    this.scopes = [];
    Object.assign(this, { features, limits, adapterInfo: {}, lost: new Promise(() => {}) });
    this.queue = { onSubmittedWorkDone: async () => {} };
  }
  fail(message) {
    const scope = this.scopes.findLast((s) => s.filter === "validation");
    if (scope !== undefined) scope.error ??= new GPUValidationError(message);
  }
  pushErrorScope(filter) {
    this.scopes.push({ filter, error: null });
  }
  async popErrorScope() {
    if (this.scopes.length === 0) throw new DOMException("no error scope", "OperationError");
    return this.scopes.pop().error;
  }
  createShaderModule({ code }) {
    const { valid, text } = checker.ask(code);
    if (!valid) this.fail(text);
    const type = valid ? "warning" : "error";
    const messages = text === "" ? [] : [{ type, lineNum: 1, linePos: 1, message: text }];
    return { code, getCompilationInfo: async () => ({ messages }) };
  }
  createComputePipeline(descriptor) {
    const { valid, text } = askPipeline(descriptor);
    if (!valid) this.fail(text);
    return {};
  }
  async createComputePipelineAsync(descriptor) {
    const { valid, text } = askPipeline(descriptor);
    if (!valid) throw Object.assign(new Error(text), { name: "GPUPipelineError", reason: "validation" });
    return {};
  }
  createPipelineLayout() {
    return {};
  }
  createBindGroupLayout() {
    return {};
  }
  addEventListener() {}
  removeEventListener() {}
  destroy() {}
}

const languageFeatures = [
  "packed_4x8_integer_dot_product", "unrestricted_pointer_parameters", "pointer_composite_access",
  "readonly_and_readwrite_storage_textures", "uniform_buffer_standard_layout", "subgroup_id", "subgroup_uniformity",
  "linear_indexing", "texture_and_sampler_let", "texture_formats_tier1",
];
const gpu = {
  wgslLanguageFeatures: new Set(process.env.LANGUAGE_FEATURES?.split(",") ?? languageFeatures),
  requestAdapter: async () => ({ features, limits, info: {}, requestDevice: async () => new Device() }),
};

// The suite's own expectations go through promises and error scopes for every shader; asked directly they take a tenth.
function judge(test, kind, source, expected, answer) {
  if (answer.valid === expected) return true;
  counts.wrong++;
  record({ kind, expected, source, text: answer.text });
  test.rec.validationFailed(new Error(`expected ${expected ? "valid" : "invalid"}`));
  return false;
}

// As the suite itself does: what enables an extension that the device lacks is skipped.
const needed = { clip_distances: "clip-distances", chromium_experimental_primitive_id: "primitive-index" };
function skipWithoutFeature(test, code, options) {
  if (options?.autoSkipIfFeatureNotAvailable === false) return;
  for (const [, names] of code.matchAll(/\benable\s+([^;]*);/g)) {
    for (const name of names.split(",")) {
      const feature = needed[name.trim()];
      if (feature !== undefined && !features.has(feature)) test.skip(`no ${feature}`);
    }
  }
}

function useDirectQuestions(fixture) {
  fixture.prototype.expectCompileResult = function (expected, code, options) {
    skipWithoutFeature(this, code, options);
    judge(this, "module", code, expected, checker.ask(code));
  };
  fixture.prototype.expectCompileWarning = function (expected, code) {
    const answer = checker.ask(code);
    const warned = answer.valid && answer.text.includes(" warning: ") === expected;
    judge(this, "warning", code, true, { ...answer, valid: warned });
  };
  fixture.prototype.expectPipelineResult = function (args) {
    const named = [...Object.keys(args.constants ?? {}), ...(args.reference ?? [])];
    const body = [...(args.statements ?? []), ...named.map((name) => `_ = ${name};`)].join("\n");
    const size = args.addWorkgroupSize === false ? "" : "@workgroup_size(1)";
    const code = `${args.code}\n${size}\n@compute fn main() {\n${body}\n}`;
    if (!judge(this, "module", code, true, checker.ask(code))) return;
    const source = `${pipelineLine({ entryPoint: "main", constants: args.constants })}\n${code}`;
    judge(this, "pipeline", source, args.expectedResult, checker.ask(source));
  };
}

// The suite finds its files through a listing that its build would make.
function writeListing() {
  const specs = fs.readdirSync(path.join(root, "webgpu"), { recursive: true }).filter((f) => f.endsWith(".spec.js"));
  const listing = specs.map((file) => ({ file: file.slice(0, -".spec.js".length).split(path.sep) }));
  fs.writeFileSync(path.join(root, "webgpu/listing.js"), `exports.listing = ${JSON.stringify(listing)};\n`);
}

async function main() {
  writeListing();
  load("common/util/navigator_gpu.js").setGPUProvider(() => gpu);
  Object.values(load("webgpu/shader/validation/shader_validation_test.js")).forEach(useDirectQuestions);
  const { DefaultTestFileLoader } = load("common/internal/file_loader.js");
  const { parseQuery } = load("common/internal/query/parseQuery.js");
  const { Logger } = load("common/internal/logging/logger.js");
  const loader = new DefaultTestFileLoader();
  const status = {};
  for (const query of queries) {
    for (const testCase of await loader.loadCases(parseQuery(query))) {
      current = testCase.query.toString();
      const [recorder, result] = new Logger().record(current);
      const before = counts.wrong;
      await testCase.run(recorder, []);
      status[result.status] = (status[result.status] ?? 0) + 1;
      const text = (result.logs ?? []).map((log) => log.toJSON()).join("\n");
      if (result.status === "fail" && counts.wrong === before) record({ kind: "other", text });
    }
  }
  console.log(JSON.stringify({ ...status, ...counts }));
  checker.process.kill();
  process.exit((status.fail ?? 0) > 0 ? 1 : 0);
}

main();
