// Watches a folder and prints what changes in the registry while files are written, edited and removed.
// In a project of your own, import from 'skilled'.
import { once, EventEmitter } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'skilled-example-'));
const bundle = join(folder, 'skills', 'greeting');

const agent = new RecursiveSkilledAgent({ startDir: folder, searchUpwards: false, watch: true });
await agent.ready();
const awake = setInterval(() => {}, 1_000); // watching alone does not keep a program running

const registry = new EventEmitter();
const stop = agent.skills.subscribe((_skills, { added, updated, removed, version }) => {
  for (const name of added) console.log(`version ${version}: ${name} was added`);
  for (const name of updated) console.log(`version ${version}: ${name} was changed`);
  for (const name of removed) console.log(`version ${version}: ${name} was removed`);
  registry.emit('change');
});

await change(() => {
  mkdirSync(bundle, { recursive: true });
  write('Greets a customer.');
});
await change(() => write('Greets a customer by name.'));
console.log(`Now it says: ${agent.skills.resolve('greeting').card.description}`);
await change(() => rmSync(bundle, { recursive: true }));

stop();
clearInterval(awake);
await agent.shutdown();
rmSync(folder, { recursive: true });

function write(description: string): void {
  const head = `---\nname: greeting\ndescription: ${description}\n---\n`;
  writeFileSync(join(bundle, 'SKILL.md'), `${head}\nOne friendly sentence.\n`);
}

/** Changes the disk and waits until the registry has followed. */
async function change(act: () => void): Promise<void> {
  const changed = once(registry, 'change', { signal: AbortSignal.timeout(10_000) });
  act();
  await changed;
}
