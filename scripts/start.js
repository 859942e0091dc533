// Runs the command line from source, in this process; with no arguments it lists the example workspace.
import path from 'node:path';

const main = path.join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
const given = process.argv.slice(2);
const args = given.length > 0 ? given : ['list', '--cwd', 'examples/workspace'];

process.argv = [process.execPath, main, ...args];
await import(main);
