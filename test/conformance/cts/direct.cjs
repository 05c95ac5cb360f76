// The suite's own expectations on validation go through promises and error scopes for every shader; asked directly
// they take a tenth.
const { Checker } = require("./kem.cjs");
const { checker } = require("./device.cjs");

// As the suite itself does: what enables an extension that the device lacks is skipped.
const needed = { clip_distances: "clip-distances", chromium_experimental_primitive_id: "primitive-index" };
function skipWithoutFeature(test, code, options, features) {
  if (options?.autoSkipIfFeatureNotAvailable === false) return;
  for (const [, names] of code.matchAll(/\benable\s+([^;]*);/g)) {
    for (const name of names.split(",")) {
      const feature = needed[name.trim()];
      if (feature !== undefined && !features.has(feature)) test.skip(`no ${feature}`);
    }
  }
}

// `wrong` is called for each answer that is not the expected one: {kind, expected, source, text}.
function useDirectQuestions(fixture, features, wrong) {
  function judge(test, kind, source, expected, answer) {
    if (answer.valid === expected) return true;
    wrong({ kind, expected, source, text: answer.text });
    test.rec.validationFailed(new Error(`expected ${expected ? "valid" : "invalid"}`));
    return false;
  }
  fixture.prototype.expectCompileResult = function (expected, code, options) {
    skipWithoutFeature(this, code, options, features);
    judge(this, "module", code, expected, checker.module(code));
  };
  fixture.prototype.expectCompileWarning = function (expected, code) {
    const answer = checker.module(code);
    const warned = answer.valid && answer.text.includes(" warning: ") === expected;
    judge(this, "warning", code, true, { ...answer, valid: warned });
  };
  fixture.prototype.expectPipelineResult = function (args) {
    const named = [...Object.keys(args.constants ?? {}), ...(args.reference ?? [])];
    const body = [...(args.statements ?? []), ...named.map((name) => `_ = ${name};`)].join("\n");
    const size = args.addWorkgroupSize === false ? "" : "@workgroup_size(1)";
    const code = `${args.code}\n${size}\n@compute fn main() {\n${body}\n}`;
    if (!judge(this, "module", code, true, checker.module(code))) return;
    const source = `${Checker.pipelineLine({ entryPoint: "main", constants: args.constants })}\n${code}`;
    judge(this, "pipeline", source, args.expectedResult, checker.module(source));
  };
}

module.exports = { useDirectQuestions };
