// The command line; what is missing or unknown ends the program with its usage.
const usage = "usage: node cts.cjs [--cases N] [--seconds S] CHECKOUT OUT.jsonl QUERY...";

function positive(text) {
  const value = Number(text);
  if (value > 0) return value;
  console.error(usage);
  process.exit(2);
}

const options = { "--cases": Infinity, "--seconds": 60 };
const words = process.argv.slice(2);
while (words[0]?.startsWith("--")) {
  const name = words.shift();
  if (!(name in options)) positive(undefined);
  options[name] = positive(words.shift());
}
const [checkout, out, ...queries] = words;
if (queries.length === 0) positive(undefined);

module.exports = { checkout, out, queries, cases: options["--cases"], seconds: options["--seconds"] };
