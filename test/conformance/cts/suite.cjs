// The suite's own modules: its files, its cases, and which of them run.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const { checkout } = require("./arguments.cjs");
const root = path.resolve(checkout, "out/src");
const load = (file) => require(path.join(root, file));

const { SkipTestCase } = load("common/framework/fixture.js");

function defaultLimits() {
  const limits = Object.entries(load("webgpu/capability_info.js").getDefaultLimits("core"));
  return Object.fromEntries(limits.map(([name, limit]) => [name, limit.default]));
}

// The suite finds its files through a listing that its build would make.
function writeListing() {
  const specs = fs.readdirSync(path.join(root, "webgpu"), { recursive: true }).filter((f) => f.endsWith(".spec.js"));
  const listing = specs.map((file) => ({ file: file.slice(0, -".spec.js".length).split(path.sep) }));
  fs.writeFileSync(path.join(root, "webgpu/listing.js"), `exports.listing = ${JSON.stringify(listing)};\n`);
}

// At most `most` of a test's cases, always the same: those whose queries' hashes are least. What is evenly spaced in
// the list would have the same last parameters every time.
function sample(cases, most) {
  if (cases.length <= most) return cases;
  const hash = (one) => crypto.createHash("sha1").update(one.query.toString()).digest("hex");
  const hashes = new Map(cases.map((one) => [one, hash(one)]));
  const sorted = [...cases].sort((a, b) => (hashes.get(a) < hashes.get(b) ? -1 : 1));
  const least = new Set(sorted.slice(0, most));
  return cases.filter((one) => least.has(one));
}

// The query's spec files, one after another: {file, all: number of cases, cases: those to run}.
async function* specFiles(query, most) {
  writeListing();
  const { DefaultTestFileLoader } = load("common/internal/file_loader.js");
  const { parseQuery } = load("common/internal/query/parseQuery.js");
  const files = new Map();
  for (const one of await new DefaultTestFileLoader().loadCases(parseQuery(query))) {
    const file = one.query.filePathParts.join(",");
    const test = one.query.testPathParts.join(",");
    if (!files.has(file)) files.set(file, new Map());
    const tests = files.get(file);
    if (!tests.has(test)) tests.set(test, []);
    tests.get(test).push(one);
  }
  for (const [file, tests] of files) {
    const lists = [...tests.values()];
    const all = lists.reduce((sum, list) => sum + list.length, 0);
    yield { file, all, cases: lists.flatMap((list) => sample(list, most)) };
  }
}

module.exports = { load, SkipTestCase, defaultLimits, specFiles };
