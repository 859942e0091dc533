// This module is imported first. With an outdated Node, the error then names the required version rather than
// a missing function. Programs can catch the error; otherwise, it is printed on one line.
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
