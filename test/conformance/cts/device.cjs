// WebGPU's adapter and device, as far as shaders, compute pipelines and buffers need them. What is not here (textures,
// samplers, render pipelines, queries) skips the test that asks for it, by name.
const { Checker, Executor } = require("./kem.cjs");
const { BindGroup } = require("./buffers.cjs");
const { CommandEncoder } = require("./commands.cjs");
const { SkipTestCase, defaultLimits } = require("./suite.cjs");

class ErrorWithMessage {
  constructor(message) {
    this.message = message;
  }
}
globalThis.GPUError = class extends ErrorWithMessage {};
globalThis.GPUValidationError = class extends GPUError {};
globalThis.GPUOutOfMemoryError = class extends GPUError {};
globalThis.GPUInternalError = class extends GPUError {};
globalThis.GPUPipelineError = class extends Error {};
globalThis.GPUShaderStage = { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };
for (const name of ["GPUTextureUsage", "GPUColorWrite"]) globalThis[name] = {};
for (const name of ["GPUDevice", "GPUQuerySet", "GPUTexture", "GPUExternalTexture"]) globalThis[name] = class {};

const checker = new Checker();
const executor = new Executor();

// The clock of the case that runs: behind its end no dispatch is begun, and the case counts as cut.
const limit = { ends: Infinity, reached: false };
limit.start = (seconds) => Object.assign(limit, { ends: Date.now() + seconds * 1000, reached: false });
limit.check = () => {
  if (Date.now() < limit.ends) return;
  limit.reached = true;
  throw new SkipTestCase("the case's time is over");
};

// The dispatches of the case that kem did not run: {text, source}. The suite names only the last one.
const refused = [];

class Queue {
  constructor(device) {
    this.device = device;
    this.label = "";
  }
  submit(commandBuffers) {
    for (const command of commandBuffers.flat()) command();
  }
  // `offset` and `size` of the data are elements if it is a typed array, else bytes.
  writeBuffer(buffer, bufferOffset, data, offset = 0, size = undefined) {
    const element = data.BYTES_PER_ELEMENT ?? 1;
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const end = size === undefined ? bytes.length : (offset + size) * element;
    buffer.bytes.set(bytes.subarray(offset * element, end), bufferOffset);
  }
  async onSubmittedWorkDone() {
    this.device.checkPipelinesThatNeverRan();
  }
}

class ComputePipeline {
  constructor({ layout, compute }) {
    this.compute = compute;
    this.layout = layout === "auto" ? null : layout;
  }
  getBindGroupLayout(index) {
    return this.layout?.bindGroupLayouts?.[index] ?? {};
  }
}

class Device {
  constructor(adapter) {
    const { features, limits, info, executes } = adapter;
    Object.assign(this, { features, limits, adapterInfo: info, executes, lost: new Promise(() => {}) });
    this.scopes = [];
    this.unrun = new Set();
    this.queue = new Queue(this);
  }
  fail(message, filter = "validation") {
    const scope = this.scopes.findLast((s) => s.filter === filter);
    const error = filter === "validation" ? GPUValidationError : GPUInternalError;
    if (scope !== undefined) scope.error ??= new error(message);
  }
  pushErrorScope(filter) {
    this.scopes.push({ filter, error: null });
  }
  async popErrorScope() {
    if (this.scopes.length === 0) throw new DOMException("no error scope", "OperationError");
    return this.scopes.pop().error;
  }
  createShaderModule({ code }) {
    const { valid, text } = checker.module(code);
    if (!valid) this.fail(text);
    const type = valid ? "warning" : "error";
    const messages = text === "" ? [] : [{ type, lineNum: 1, linePos: 1, message: text }];
    return { code, getCompilationInfo: async () => ({ messages }) };
  }
  // Where pipelines run, `kem exec` makes them with the device's own limits, at their first dispatch.
  createComputePipeline(descriptor) {
    const pipeline = new ComputePipeline(descriptor);
    if (this.executes) {
      this.unrun.add(pipeline);
    } else {
      const { valid, text } = checker.pipeline(descriptor.compute);
      if (!valid) this.fail(text);
    }
    return pipeline;
  }
  async createComputePipelineAsync(descriptor) {
    if (this.executes) return this.createComputePipeline(descriptor);
    const { valid, text } = checker.pipeline(descriptor.compute);
    if (!valid) throw Object.assign(new Error(text), { name: "GPUPipelineError", reason: "validation" });
    return new ComputePipeline(descriptor);
  }
  checkPipelinesThatNeverRan() {
    for (const pipeline of this.unrun) {
      const { valid, text } = checker.pipeline(pipeline.compute);
      if (!valid) this.fail(text);
    }
    this.unrun.clear();
  }
  dispatch(pipeline, groups, workgroups) {
    limit.check();
    this.unrun.delete(pipeline);
    const bindings = [...groups].flatMap(([group, { group: bindGroup, offsets }]) =>
      bindGroup.views(offsets).map((view) => ({ group, ...view }))
    );
    const text = executor.dispatch(pipeline.compute, workgroups, bindings);
    if (text === null) return;
    refused.push({ text, source: pipeline.compute.module.code });
    this.fail(text, /^invalid_/.test(text) ? "validation" : "internal");
  }
  createBuffer(descriptor) {
    return new GPUBuffer(descriptor);
  }
  createBindGroup(descriptor) {
    return new BindGroup(descriptor);
  }
  createBindGroupLayout(descriptor) {
    return descriptor;
  }
  createPipelineLayout(descriptor) {
    return descriptor;
  }
  createCommandEncoder() {
    return new CommandEncoder(this);
  }
  addEventListener() {}
  removeEventListener() {}
  destroy() {}
}

for (const [reason, names] of [
  ["textures", ["createTexture", "createSampler", "importExternalTexture"]],
  ["render pipelines", ["createRenderPipeline", "createRenderBundleEncoder"]],
  ["queries", ["createQuerySet"]],
]) {
  for (const name of names) {
    Device.prototype[name] = () => {
      throw new SkipTestCase(`this device has no ${reason}`);
    };
  }
}
Device.prototype.createRenderPipelineAsync = async () => Device.prototype.createRenderPipeline();

const languageFeatures = [
  "packed_4x8_integer_dot_product", "unrestricted_pointer_parameters", "pointer_composite_access",
  "readonly_and_readwrite_storage_textures", "uniform_buffer_standard_layout", "subgroup_id", "subgroup_uniformity",
  "linear_indexing", "texture_and_sampler_let", "texture_formats_tier1",
];

// For validation: the features that kem has on some device, WebGPU's default limits.
const checkingAdapter = () => ({
  features: new Set(["core-features-and-limits", "shader-f16", "subgroups"]),
  limits: defaultLimits(),
  info: {},
  executes: false,
});

// For execution: features and limits of the device that kem runs on, storage buffers of WebGPU's default size.
function executingAdapter(device) {
  const has = device.features;
  const features = new Set(["core-features-and-limits"]);
  if (has.f16) features.add("shader-f16");
  if (has.subgroups) features.add("subgroups");
  const limits = {
    ...defaultLimits(),
    maxComputeWorkgroupSizeX: has.max_workgroup_size_x,
    maxComputeWorkgroupSizeY: has.max_workgroup_size_y,
    maxComputeWorkgroupSizeZ: has.max_workgroup_size_z,
    maxComputeInvocationsPerWorkgroup: has.max_workgroup_invocations,
    maxComputeWorkgroupStorageSize: has.max_workgroup_bytes,
    maxUniformBufferBindingSize: has.max_uniform_bytes,
  };
  const info = { subgroupMinSize: has.min_subgroup_size, subgroupMaxSize: has.max_subgroup_size };
  return { features, limits, info, executes: true };
}

function makeGpu(adapter) {
  const asked = process.env.LANGUAGE_FEATURES?.split(",") ?? languageFeatures;
  return {
    wgslLanguageFeatures: new Set(asked),
    requestAdapter: async () => ({ ...adapter, requestDevice: async () => new Device(adapter) }),
  };
}

module.exports = { checker, executor, checkingAdapter, executingAdapter, makeGpu, limit, refused };
