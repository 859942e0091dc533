// Runs the CLI from source, in this process and in the folder from which npm was called. Without arguments,
// lets the example workshop prepare its morning report.
import { existsSync } from 'node:fs';
import path from 'node:path';

const given = process.argv.slice(2);
const { npm_lifecycle_event: script, INIT_CWD: callersFolder } = process.env;

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `skilled: this is Node ${process.versions.node}. Run "npm start": it brings the Node that is needed.`,
  );
  process.exit(1);
}
if (script === 'start' && callersFolder !== undefined && existsSync(callersFolder))
  process.chdir(callersFolder);
process.env.SKILLED_PROGRAM ||= await programHere();

if (given.length > 0) {
  const main = path.join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
  process.argv = [process.execPath, main, ...given];
  await import(main);
} else {
  const { showWorkshop } = await import('./show-workshop.js');
  process.exitCode = await showWorkshop();
}

// Returns the prefix of printed commands. Inside the clone, npm finds the project by itself.
async function programHere() {
  const { shellWord } = await import('../src/cli/output/command-text.ts');
  const clone = path.join(import.meta.dirname, '..');
  const isOutside = path.relative(clone, process.cwd()).startsWith('..');
  return isOutside ? `npm --prefix ${shellWord(clone)} start --` : 'npm start --';
}
