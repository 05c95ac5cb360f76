// WebGPU's command encoder: a command buffer is a list of functions that queue.submit() calls.
const { SkipTestCase } = require("./suite.cjs");

class ComputePass {
  constructor(device, commands) {
    Object.assign(this, { device, commands, pipeline: null, groups: new Map() });
  }
  setPipeline(pipeline) {
    this.pipeline = pipeline;
  }
  setBindGroup(index, group, offsets = [], start = 0, length = offsets.length - start) {
    if (group === null) this.groups.delete(index);
    else this.groups.set(index, { group, offsets: [...offsets].slice(start, start + length) });
  }
  push(workgroups) {
    const { device, pipeline } = this;
    const groups = new Map(this.groups);
    this.commands.push(() => device.dispatch(pipeline, groups, workgroups()));
  }
  dispatchWorkgroups(x, y = 1, z = 1) {
    this.push(() => [x, y, z]);
  }
  dispatchWorkgroupsIndirect(buffer, offset) {
    this.push(() => [...new Uint32Array(buffer.bytes.buffer, offset, 3)]);
  }
  pushDebugGroup() {}
  popDebugGroup() {}
  insertDebugMarker() {}
  end() {}
}

class CommandEncoder {
  constructor(device) {
    this.device = device;
    this.commands = [];
  }
  beginComputePass() {
    return new ComputePass(this.device, this.commands);
  }
  // (source, destination, size) or (source, sourceOffset, destination, destinationOffset, size)
  copyBufferToBuffer(source, ...rest) {
    const [from, destination, to, given] = typeof rest[0] === "number" ? rest : [0, rest[0], 0, rest[1]];
    const size = given ?? source.size - from;
    this.commands.push(() => destination.bytes.set(source.bytes.subarray(from, from + size), to));
  }
  clearBuffer(buffer, offset = 0, size = buffer.size - offset) {
    this.commands.push(() => buffer.bytes.fill(0, offset, offset + size));
  }
  pushDebugGroup() {}
  popDebugGroup() {}
  insertDebugMarker() {}
  finish() {
    return this.commands;
  }
}

for (const [reason, names] of [
  ["render passes", ["beginRenderPass"]],
  ["textures", ["copyBufferToTexture", "copyTextureToBuffer", "copyTextureToTexture"]],
  ["queries", ["resolveQuerySet", "writeTimestamp"]],
]) {
  for (const name of names) {
    CommandEncoder.prototype[name] = () => {
      throw new SkipTestCase(`this device has no ${reason}`);
    };
  }
}

module.exports = { CommandEncoder };
