import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { apply, block, fileChanges } from '../../../test/support/file-changes.ts';
import { follow, onlyEvents } from '../../../test/support/followed.ts';
import { eventually } from '../../../test/support/deadline.ts';
import { viewOf } from '../../../test/support/registry-view.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

const { createLoop } = openLoops(import.meta);

function optionsFor(base: Tree): AgentOptions {
  return { startDir: base.path, searchUpwards: false, additionalSkillRoots: [base.at('elsewhere')] };
}

async function watched(base: Tree): Promise<RecursiveSkilledAgent> {
  return new RecursiveSkilledAgent({ ...optionsFor(base), watch: true }).ready();
}

/** Resolves when the watched registry equals that of a fresh agent. */
function equalsCold(agent: RecursiveSkilledAgent, base: Tree): Promise<void> {
  return eventually(() => {
    assert.deepEqual(viewOf(agent), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
  });
}

const equal = createLoop({ small: 2, full: 250 });
test('after random file events the registry equals that of a fresh agent', async () => {
  await fc.assert(
    fc.asyncProperty(fileChanges(12), fileChanges(25), async (earlier, changes) => {
      using base = tree();
      for (const change of earlier) await apply(change, base.path);
      await using agent = await watched(base);
      for (const change of changes) await apply(change, base.path);
      await equalsCold(agent, base);
    }),
    equal.runs(),
  );
});

const published = createLoop({ small: 2, full: 250 });
test('after random file events the published changes equal a cold scan, by events alone', async () => {
  await fc.assert(
    fc.asyncProperty(fileChanges(12), fileChanges(25), async (earlier, changes) => {
      using base = tree();
      for (const change of earlier) await apply(change, base.path);
      const roots = [
        { path: base.at('elsewhere'), source: 'explicit', kind: 'skills', named: true },
        { path: base.at('skills'), source: 'project', kind: 'skills' },
        { path: base.at('agents'), source: 'project', kind: 'agents' },
        { path: base.at('.agents/skills'), source: 'user', kind: 'skills' },
      ] as const;
      await using at = await follow(roots, onlyEvents);
      // Changes through a hard link cause no events in the folder of the file's other name.
      for (const change of changes) if (change.do !== 'hardLink') await apply(change, base.path);
      await at.equalsCold();
    }),
    published.runs(),
  );
});

const reloaded = createLoop({ small: 2, full: 150 });
test('after random file events a reload gives the registry of a fresh agent', async () => {
  await fc.assert(
    fc.asyncProperty(fileChanges(12), fileChanges(15), async (earlier, changes) => {
      using base = tree();
      for (const change of earlier) await apply(change, base.path);
      await using agent = await watched(base);
      for (const change of changes) await apply(change, base.path);
      await agent.reload();
      assert.deepEqual(viewOf(agent), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
    }),
    reloaded.runs(),
  );
});

const still = createLoop({ small: 2, full: 60 });
test('after events during a blocked event loop the registry equals a cold scan', async () => {
  await fc.assert(
    fc.asyncProperty(fileChanges(10), fileChanges(15), async (before, after) => {
      using base = tree({ 'skills/a/SKILL.md': skillText('a') });
      await using agent = await watched(base);
      for (const change of before) await apply(change, base.path);
      block(300);
      await Promise.all(
        after.filter(({ do: what }) => what !== 'pause').map((change) => apply(change, base.path)),
      );
      await equalsCold(agent, base);
    }),
    still.runs(),
  );
});

const overflowing = createLoop({ small: 2, full: 60 });
test('after more events than the system can queue the registry equals a cold scan', async () => {
  using base = tree();
  const files = Array.from({ length: 200 }, (_, index) =>
    base.write(`skills/s${index}/SKILL.md`, skillText(`s${index}`)),
  );
  await using agent = await watched(base);
  await overflowing.rounds(async ({ number: round, random }) => {
    // The system's queue holds about 16,000 events and silently drops later ones.
    for (let turn = 0; turn < 120; turn++) for (const file of files) utimesSync(file, turn, turn);
    for (const file of files.slice(round % 100)) appendFileSync(file, 'More.\n');
    const [gone] = files.splice(random.below(files.length), 1);
    rmSync(dirname(gone!), { recursive: true });
    const changed = basename(dirname(random.pick(files)));
    base.write(`skills/${changed}/SKILL.md`, skillText(changed, 'Changed.'));
    base.write(`skills/${changed}/inside/run.sh`, `echo ${round}\n`);
    files.push(base.write(`skills/new-${round}/SKILL.md`, skillText(`new-${round}`)));
    const before = agent.skills.version;
    await equalsCold(agent, base);
    assert.ok(agent.skills.version > before);
  });
});

const replaced = createLoop({ small: 3, full: 150 });
test('after trees were replaced as a whole the registry equals a cold scan, and they are still followed', async () => {
  using base = tree();
  for (let index = 0; index < 30; index++) {
    base.write(`one/group/s${index}/SKILL.md`, skillText(`s${index}`, 'One.'));
    base.write(`two/group/s${index}/SKILL.md`, skillText(`s${index}`, 'Two.'));
    base.write(`two/group/s${index}/run.sh`, 'echo\n');
  }
  cpSync(base.at('one'), base.at('skills'), { recursive: true });
  await using agent = await watched(base);
  await replaced.rounds(async ({ number: round }) => {
    rmSync(base.at('skills'), { recursive: true });
    cpSync(base.at(round % 2 === 0 ? 'two' : 'one'), base.at('skills'), { recursive: true });
    if (round % 3 !== 0) await equalsCold(agent, base);
    base.write('skills/group/s7/SKILL.md', skillText('s7', `Round ${round}.`));
    await equalsCold(agent, base);
  });
});

const sameInode = createLoop({ small: 3, full: 300 });
test('folders are distinguished even if an inode is reused at once', async () => {
  using base = tree({ 'skills/x': '' });
  await using agent = await watched(base);
  await sameInode.rounds(async ({ number: round }) => {
    mkdirSync(base.at('skills/a'), { recursive: true });
    writeFileSync(base.at('skills/a/SKILL.md'), skillText('a', `Before ${round}.`));
    if (round % 2 === 0) await equalsCold(agent, base);
    rmSync(base.at('skills/a'), { recursive: true });
    mkdirSync(base.at('skills/a'));
    if (round % 3 === 0) await equalsCold(agent, base);
    writeFileSync(base.at('skills/a/SKILL.md'), skillText('a', `After ${round}.`));
    await equalsCold(agent, base);
  });
});

const byAnother = createLoop({ small: 1, full: 40 });
test('while another process changes the files nothing breaks, and afterwards the registry equals a cold scan', async () => {
  const changes = JSON.stringify(sourceUrl('test/support/file-changes.ts'));
  const script = `
    import fc from 'fast-check';
    import { apply, block, fileChanges } from ${changes};
    const [base, seed] = process.argv.slice(1);
    for (const list of fc.sample(fileChanges(40), { numRuns: 60, seed: Number(seed) })) {
      for (const change of list) if (change.do !== 'pause' || change.ms < 10) await apply(change, base);
    }`;
  await byAnother.rounds(async ({ seed }) => {
    using base = tree({ 'skills/a/SKILL.md': skillText('a') });
    await using agent = await watched(base);
    const versions = new Set<number>();
    agent.skills.subscribe((_skills, { version }) => versions.add(version));
    const args = ['--input-type=module', '-e', script, base.path, String(seed)];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    await equalsCold(agent, base);
    assert.ok(versions.size > 0 || readdirSync(base.path).length === 0);
  });
});
