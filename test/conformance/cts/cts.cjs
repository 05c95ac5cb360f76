// Runs tests of the WebGPU conformance test suite (gpuweb/cts), from a checkout outside this repository, on kem.
//   node cts.cjs [--cases N] [--seconds S] CHECKOUT OUT.jsonl QUERY...
//     'webgpu:shader,validation,parse,*'     asked of `kem check --serve`
//     'webgpu:shader,execution,*'            run by `kem exec --serve`, on the device that kem chooses
// --cases: of each test (`g.test`) at most N cases, always the same ones. --seconds: a case that takes longer (60) is
// cut off before its next dispatch, and counted as cut.
// CHECKOUT holds the suite as JavaScript (CommonJS) under out/src:
//   esbuild $(find src/common src/webgpu -name '*.ts') --outdir=out/src --outbase=src --format=cjs --platform=node
//   and src/external copied there. KEM names the program (build/kem).
// Every failure is a line of OUT. Printed are lines of JSON: a spec file each, then a folder each, then all.
const fs = require("fs");

const { out: outPath, queries, cases: most, seconds } = require("./arguments.cjs");
const { load, specFiles } = require("./suite.cjs");
const { deviceInfo } = require("./kem.cjs");
const { checker, executor, checkingAdapter, executingAdapter, makeGpu, limit, refused } = require("./device.cjs");
const { useDirectQuestions } = require("./direct.cjs");
const { Totals, line } = require("./totals.cjs");

const out = fs.openSync(outPath, "w");
const counts = { wrong: 0 };
let current = "";

function record(row) {
  fs.writeSync(out, JSON.stringify({ test: current, ...row }) + "\n");
}

function makeAdapter() {
  if (!queries.some((query) => query.startsWith("webgpu:shader,execution"))) return checkingAdapter();
  const device = deviceInfo();
  if (device.device === null) throw new Error("execution needs a Vulkan device");
  console.log(JSON.stringify({ device: device.device }));
  return executingAdapter(device);
}

async function runCase(testCase, totals) {
  const { Logger } = load("common/internal/logging/logger.js");
  current = testCase.query.toString();
  const [recorder, result] = new Logger().record(current);
  const before = counts.wrong;
  const begin = Date.now();
  limit.start(seconds);
  refused.length = 0;
  await testCase.run(recorder, []);
  const logs = result.logs ?? [];
  const status = limit.reached && result.status !== "fail" ? "cut" : result.status;
  totals.count(status, logs, (Date.now() - begin) / 1000);
  if (status === "cut") record({ kind: "cut" });
  for (const dispatch of refused) record({ kind: "refused", ...dispatch });
  if (status !== "fail" || counts.wrong !== before) return;
  const said = logs.filter((log) => !["subcase ran", "subcase skipped"].includes(log.message));
  record({ kind: "fail", text: said.map((log) => log.toJSON()).join("\n").slice(0, 20000) });
}

async function main() {
  const adapter = makeAdapter();
  load("common/util/navigator_gpu.js").setGPUProvider(() => makeGpu(adapter));
  const wrong = (row) => {
    counts.wrong++;
    record(row);
  };
  const fixtures = Object.values(load("webgpu/shader/validation/shader_validation_test.js"));
  for (const fixture of fixtures) useDirectQuestions(fixture, adapter.features, wrong);
  load("common/framework/test_config.js").globalTestConfig.maxSubcasesInFlight = 1;
  const totals = new Totals();
  for (const query of queries) {
    for await (const { file, all, cases } of specFiles(query, most)) {
      const row = totals.begin(file, all);
      for (const testCase of cases) await runCase(testCase, totals);
      console.log(line(file, row));
    }
  }
  for (const [folder, row] of totals.byFolder()) console.log(line(`${folder},*`, row));
  console.log(line("all", totals.all()));
  console.log(JSON.stringify({ checked: checker.asked, executed: executor.asked, wrong: counts.wrong }));
  [checker, executor].forEach((served) => served.stop());
  process.exit(totals.all().fail > 0 ? 1 : 0);
}

main();
