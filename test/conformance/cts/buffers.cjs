// WebGPU's buffers and bind groups, in this process's memory.

globalThis.GPUBufferUsage = {
  MAP_READ: 1, MAP_WRITE: 2, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128,
  INDIRECT: 256, QUERY_RESOLVE: 512,
};
globalThis.GPUMapMode = { READ: 1, WRITE: 2 };

globalThis.GPUBuffer = class GPUBuffer {
  constructor({ size, usage, label, mappedAtCreation }) {
    Object.assign(this, { size, usage, label });
    this.bytes = new Uint8Array(size);
    this.mapState = mappedAtCreation ? "mapped" : "unmapped";
    this.written = mappedAtCreation === true;
    this.ranges = [];  // of the present mapping: {offset, data}
  }
  async mapAsync(mode) {
    this.mapState = "mapped";
    this.written = (mode & GPUMapMode.WRITE) !== 0;
  }
  getMappedRange(offset = 0, size = this.size - offset) {
    if (this.mapState !== "mapped") throw new DOMException("the buffer is not mapped", "OperationError");
    const data = this.bytes.slice(offset, offset + size).buffer;
    this.ranges.push({ offset, data });
    return data;
  }
  unmap() {
    for (const { offset, data } of this.ranges) {
      if (this.written) this.bytes.set(new Uint8Array(data), offset);
      structuredClone(data, { transfer: [data] });  // detaches it
    }
    this.ranges = [];
    this.mapState = "unmapped";
  }
  destroy() {
    this.unmap();
  }
};

class BindGroup {
  constructor({ layout, entries }) {
    this.layout = layout;
    this.entries = entries;
  }
  // The bindings whose layout entries ask for an offset, in the order in which setBindGroup gives them.
  dynamicBindings() {
    const entries = (this.layout?.entries ?? []).filter((entry) => entry.buffer?.hasDynamicOffset);
    return entries.map((entry) => entry.binding).sort((a, b) => a - b);
  }
  // [{binding, bytes}]: the parts of buffers that a dispatch sees.
  views(dynamicOffsets) {
    const dynamic = this.dynamicBindings();
    if (dynamic.length !== dynamicOffsets.length) {
      throw new Error(`${dynamicOffsets.length} dynamic offsets for ${dynamic.length} bindings`);
    }
    return this.entries.map(({ binding, resource }) => {
      const { buffer, offset = 0, size } = resource.buffer === undefined ? { buffer: resource } : resource;
      const at = dynamic.indexOf(binding);
      const begin = offset + (at < 0 ? 0 : dynamicOffsets[at]);
      const length = size ?? buffer.size - offset;
      if (begin + length > buffer.size) throw new Error(`binding ${binding} ends behind its buffer`);
      return { binding, bytes: buffer.bytes.subarray(begin, begin + length) };
    });
  }
}

module.exports = { BindGroup };
