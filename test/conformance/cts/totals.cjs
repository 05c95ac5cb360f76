// What ran and how it ended: by spec file, by folder, and all together.

// cases: all that the query names; run: those of the sample. A case that its time cut off is neither passed nor failed.
// subcases are counted by themselves: those that ran and those that were skipped. skipped: how many by which reason.
const zero = () => ({
  cases: 0, run: 0, pass: 0, fail: 0, warn: 0, skip: 0, cut: 0, subcasesRun: 0, subcasesSkipped: 0, seconds: 0,
  skipped: {},
});

function add(sum, row) {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "number") sum[name] += value;
  }
  for (const [reason, count] of Object.entries(row.skipped)) sum.skipped[reason] = (sum.skipped[reason] ?? 0) + count;
}

// The first line of a reason, without the numbers that differ from case to case. What textures' formats lack is one
// reason: this device has no textures.
function reasonOf(message) {
  const [line] = message.split("\n");
  if (line === "") return "no reason given";
  if (/\b(textures?|format|filterable|VideoFrames|OffscreenCanvas|bgra8unorm-storage)\b/i.test(line)) return "textures";
  return line.replace(/\d+/g, "N");
}

class Totals {
  constructor() {
    this.files = new Map();
  }
  begin(file, all) {
    if (!this.files.has(file)) this.files.set(file, zero());
    this.current = this.files.get(file);
    this.current.cases += all;
    return this.current;
  }
  // `status`: the suite's own, or "cut". `logs`: the suite's messages.
  count(status, logs, seconds) {
    const row = this.current;
    row.run++;
    row[status]++;
    row.seconds += seconds;
    const reasons = new Set();
    let subcases = 0;
    for (const { name, message } of logs) {
      if (message === "subcase ran") subcases++;
      if (message === "subcase skipped") row.subcasesSkipped++;
      if (name.endsWith("SKIP") && message !== "all subcases were skipped") reasons.add(reasonOf(message));
    }
    row.subcasesRun += subcases > 0 || ["skip", "cut"].includes(status) ? subcases : 1;
    if (status !== "skip") return;
    for (const reason of reasons) row.skipped[reason] = (row.skipped[reason] ?? 0) + 1;
  }
  byFolder() {
    const folders = new Map();
    for (const [file, row] of this.files) {
      const folder = file.split(",").slice(0, -1).join(",");
      if (!folders.has(folder)) folders.set(folder, zero());
      add(folders.get(folder), row);
    }
    return folders;
  }
  all() {
    const sum = zero();
    for (const row of this.files.values()) add(sum, row);
    return sum;
  }
}

const empty = (value) => value === 0 || (typeof value === "object" && Object.keys(value).length === 0);

function line(name, row) {
  const shown = Object.entries({ ...row, seconds: Math.round(row.seconds) }).filter(([, value]) => !empty(value));
  return JSON.stringify({ name, ...Object.fromEntries(shown) });
}

module.exports = { Totals, line };
