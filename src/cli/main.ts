// Do not use static imports here, so that an old Node version fails the version check with a clear message
// rather than with an error about newer syntax.
await import('../core/node-version.ts');
const { readVersion, useCompileCache } = await import('../config/start.ts');
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  if (args[0] !== 'demo') useCompileCache(); // `demo` promises to write nothing.
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(args);
}
