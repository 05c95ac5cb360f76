// kem's two serving commands over named pipes: the suite asks synchronously.
const childProcess = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const program = process.env.KEM ?? path.join(__dirname, "../../../build/kem");

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

// A request is a u32 length and as many bytes; a reply a status byte, a u32 length and as many bytes. A process that
// ends is an error of the request it was asked, and started again for the next one.
class Served {
  constructor(command) {
    this.command = command;
    this.process = null;
    this.asked = 0;
  }
  start() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cts-"));
    const base = path.join(folder, "pipe");
    for (const end of ["in", "out"]) childProcess.execFileSync("mkfifo", [`${base}.${end}`]);
    const line = `exec "$0" ${this.command} --serve < "$1.in" > "$1.out"`;
    this.process = childProcess.spawn("sh", ["-c", line, program, base], { stdio: ["ignore", "ignore", "inherit"] });
    this.input = fs.openSync(`${base}.in`, "w");
    this.output = fs.openSync(`${base}.out`, "r");
    fs.rmSync(folder, { recursive: true });
  }
  stop() {
    if (this.process === null) return;
    this.process.kill();
    fs.closeSync(this.input);
    fs.closeSync(this.output);
    this.process = null;
  }
  write(bytes) {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.input, bytes, at);
  }
  read(size) {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; ) {
      const got = fs.readSync(this.output, bytes, at, size - at, null);
      if (got === 0) throw new Error("the pipe ended");
      at += got;
    }
    return bytes;
  }
  ask(parts) {
    if (this.process === null) this.start();
    this.asked++;
    try {
      this.write(u32(parts.reduce((sum, part) => sum + part.length, 0)));
      parts.forEach((part) => this.write(part));
      const head = this.read(5);
      return { status: head[0], bytes: this.read(head.readUInt32LE(1)) };
    } catch (error) {
      this.stop();
      throw new Error(`kem ${this.command} --serve ended: ${error.message}`);
    }
  }
}

// kem check --serve: shader creation and, with a line in front, pipeline creation. See docs/architecture.md.
class Checker extends Served {
  constructor() {
    super("check");
  }
  module(source) {
    const { status, bytes } = this.ask([Buffer.from(source)]);
    return { valid: status === 0, text: bytes.toString() };
  }
  static pipelineLine({ entryPoint, constants }) {
    const words = ["//!pipeline"];
    if (entryPoint !== undefined) words.push(`entry=${entryPoint}`);
    for (const [name, value] of Object.entries(constants ?? {})) words.push(`const:${name}=${value}`);
    return words.join(" ");
  }
  pipeline(stage) {
    return this.module(`${Checker.pipelineLine(stage)}\n${stage.module.code}`);
  }
}

// kem exec --serve: one dispatch. `bindings`: [{group, binding, bytes: Uint8Array}]; with success the bytes are
// changed in place and null is returned, else kem's text.
class Executor extends Served {
  constructor() {
    super("exec");
  }
  dispatch({ module, entryPoint, constants }, workgroups, bindings) {
    const request = Buffer.from(
      JSON.stringify({
        wgsl: module.code,
        entry: entryPoint ?? module.code.match(/@compute[^{]*\bfn\s+(\w+)/)?.[1],
        constants: constants ?? {},
        workgroups,
        bindings: bindings.map(({ group, binding, bytes }) => ({ group, binding, size: bytes.length })),
      })
    );
    const { status, bytes } = this.ask([u32(request.length), request, ...bindings.map((b) => b.bytes)]);
    if (status !== 0) return bytes.toString();
    let at = 0;
    for (const binding of bindings) {
      binding.bytes.set(bytes.subarray(at, at + binding.bytes.length));
      at += binding.bytes.length;
    }
    return null;
  }
}

// What `kem info` says of the device: {device, features}; device is null where there is none.
function deviceInfo() {
  const text = childProcess.execFileSync(program, ["info", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const { device, device_features: features } = JSON.parse(text);
  return { device, features };
}

module.exports = { Checker, Executor, deviceInfo };
