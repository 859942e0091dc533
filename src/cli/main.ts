// Do not use static imports here, so that an old Node version fails the version check with a clear message
// rather than with an error about newer syntax.
await import('../core/node-version.ts');
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  const { ownPackage } = await import('../config/program.ts');
  process.stdout.write(`${ownPackage().version}\n`);
} else {
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(args);
}
