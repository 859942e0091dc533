// Imported before anything else: on a Node that is too old, the error names the version that is needed instead of the
// first missing function. A program may catch it; uncaught, it prints one line.
const needed = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < needed) {
  const line = `skilled needs Node ${needed} or later; this is ${node}. Install it: https://nodejs.org/en/download`;
  const error = new Error(line);
  process.prependOnceListener('uncaughtException', (thrown) => {
    if (thrown !== error) throw thrown;
    process.stderr.write(`${line}\n`);
    process.exit(1);
  });
  throw error;
}

export {};
