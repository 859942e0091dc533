// Nothing is imported statically: an old Node must reach the message below instead of failing on newer syntax.
const major = Number(process.versions.node.split('.')[0]);
const args = process.argv.slice(2);

if (major < 24) {
  process.stderr.write(
    `skilled needs Node 24 or later; this is ${process.versions.node}. Install it: https://nodejs.org/en/download\n`,
  );
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  const { ownPackage } = await import('../config/package-root.ts');
  process.stdout.write(`${ownPackage().version}\n`);
} else {
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(args);
}
