import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { follow, onlySweeps } from '../../../test/support/followed.ts';
import { skillsAt } from '../../../test/support/look.ts';
import { eventually } from '../../../test/support/deadline.ts';
import { viewOf } from '../../../test/support/registry-view.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { builtinFamilies } from '../../families/index.ts';
import { defaultSkillLimits } from '../limits.ts';
import type { Look } from './refresh.ts';
import { noKnowledge } from '../cache/memo.ts';
import { watchSkills } from './watch.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

function optionsFor(base: Tree): AgentOptions {
  return { startDir: base.path, searchUpwards: false };
}

async function watched(base: Tree, more: AgentOptions = {}): Promise<RecursiveSkilledAgent> {
  return new RecursiveSkilledAgent({ ...optionsFor(base), watch: true, ...more }).ready();
}

/** Resolves when the watched registry equals that of a fresh agent. */
function equalsCold(agent: RecursiveSkilledAgent, base: Tree, more: AgentOptions = {}): Promise<void> {
  return eventually(() => {
    const fresh = new RecursiveSkilledAgent({ ...optionsFor(base), ...more });
    assert.deepEqual(viewOf(agent), viewOf(fresh));
  });
}

function sees(agent: RecursiveSkilledAgent, name: string, description: string | undefined): Promise<void> {
  return eventually(() => assert.equal(agent.skills.get(name)?.card.description, description));
}

/** Returns the skills that a change was published for, once a later change has been published too. */
async function bumps(
  agent: RecursiveSkilledAgent,
  base: Tree,
  change: () => void,
): Promise<readonly string[]> {
  const updated: string[] = [];
  const stop = agent.skills.subscribe((_skills, { added, updated: names, removed }) => {
    updated.push(...added, ...names, ...removed);
  });
  change();
  await pause(100);
  base.write('skills/marker/SKILL.md', skillText('marker', `Is ${randomUUID()}.`));
  await eventually(() => assert.ok(updated.includes('marker')));
  await agent.reload();
  stop();
  return updated.filter((name) => name !== 'marker');
}

test('a new, a changed and a removed skill are seen', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  base.write('skills/b/SKILL.md', skillText('b'));
  await sees(agent, 'b', 'Does b.');
  base.write('skills/b/SKILL.md', skillText('b', 'Does more.'));
  await sees(agent, 'b', 'Does more.');
  rmSync(base.at('skills/b'), { recursive: true });
  await sees(agent, 'b', undefined);
  await equalsCold(agent, base);
});

test('every atomic save is seen, not only the first', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  for (let round = 1; round <= 5; round++) {
    base.write('skills/a/.SKILL.md.swp', skillText('a', `Round ${round}.`));
    renameSync(base.at('skills/a/.SKILL.md.swp'), base.at('skills/a/SKILL.md'));
    await sees(agent, 'a', `Round ${round}.`);
  }
});

test('a file in a folder that was made a moment ago is seen, however deep', async () => {
  using base = tree({ 'skills/x': '' });
  await using agent = await watched(base);
  mkdirSync(base.at('skills/one/two/three'), { recursive: true });
  await pause(50);
  base.write('skills/one/two/three/SKILL.md', skillText('three'));
  await sees(agent, 'three', 'Does three.');
});

test('a root that is missing is seen when it comes, whatever part of its path comes first', async () => {
  using base = tree();
  await using agent = await watched(base, { additionalSkillRoots: ['far/off/skills'] });
  mkdirSync(base.at('far'));
  await pause(50);
  mkdirSync(base.at('far/off/skills'), { recursive: true });
  await pause(50);
  base.write('far/off/skills/a/SKILL.md', skillText('a'));
  await sees(agent, 'a', 'Does a.');
  base.write('.agents/skills/b/SKILL.md', skillText('b'));
  await sees(agent, 'b', 'Does b.');
});

test('a root that is removed, made again and replaced is followed', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  rmSync(base.at('skills'), { recursive: true });
  await sees(agent, 'a', undefined);
  base.write('skills/b/SKILL.md', skillText('b'));
  await sees(agent, 'b', 'Does b.');
  base.write('other/b/SKILL.md', skillText('b', 'Is another.'));
  renameSync(base.at('skills'), base.at('old'));
  renameSync(base.at('other'), base.at('skills'));
  await sees(agent, 'b', 'Is another.');
  base.write('skills/b/SKILL.md', skillText('b', 'Is changed.'));
  await sees(agent, 'b', 'Is changed.');
});

test('the folder that a missing root is waited for in may itself be replaced', async () => {
  using base = tree({ 'work/x': '' });
  const options = { startDir: base.at('work'), searchUpwards: false };
  await using agent = await new RecursiveSkilledAgent({ ...options, watch: true }).ready();
  renameSync(base.at('work'), base.at('gone'));
  await pause(100);
  base.write('work/skills/a/SKILL.md', skillText('a'));
  await sees(agent, 'a', 'Does a.');
});

test('a link on the way to a root is followed when it leads elsewhere', async () => {
  using base = tree({
    'releases/1/skills/a/SKILL.md': skillText('a', 'One.'),
    'releases/2/skills/a/SKILL.md': skillText('a', 'Two.'),
  });
  symlinkSync('releases/1', base.at('current'));
  const options = { startDir: base.at('current'), searchUpwards: false };
  await using agent = await new RecursiveSkilledAgent({ ...options, watch: true }).ready();
  symlinkSync('releases/2', base.at('next'));
  renameSync(base.at('next'), base.at('current'));
  await sees(agent, 'a', 'Two.');
  base.write('releases/2/skills/a/SKILL.md', skillText('a', 'Three.'));
  await sees(agent, 'a', 'Three.');
});

test('links to folders and files are followed to what comes, changes and goes where they lead', async () => {
  using base = tree({ 'skills/x': '', 'shelf/x': '' });
  symlinkSync('../shelf/a', base.at('skills/a'));
  mkdirSync(base.at('skills/b'));
  symlinkSync('../../shelf/b.md', base.at('skills/b/SKILL.md'));
  const more = { allowSymlinkTargets: [base.at('shelf')] };
  await using agent = await watched(base, more);
  base.write('shelf/a/SKILL.md', skillText('a'));
  base.write('shelf/b.md', skillText('b'));
  await sees(agent, 'a', 'Does a.');
  await sees(agent, 'b', 'Does b.');
  base.write('shelf/a/SKILL.md', skillText('a', 'More.'));
  base.write('shelf/b.md', skillText('b', 'More.'));
  await sees(agent, 'a', 'More.');
  await sees(agent, 'b', 'More.');
  rmSync(base.at('shelf/a'), { recursive: true });
  rmSync(base.at('shelf/b.md'));
  await sees(agent, 'a', undefined);
  await equalsCold(agent, base, more);
});

test('an ignore file that comes, changes and goes is obeyed', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
  await using agent = await watched(base);
  base.write('skills/.gitignore', 'a/\n');
  await sees(agent, 'a', undefined);
  base.write('skills/.gitignore', 'b/\n');
  await sees(agent, 'b', undefined);
  await sees(agent, 'a', 'Does a.');
  rmSync(base.at('skills/.gitignore'));
  await sees(agent, 'b', 'Does b.');
});

test('a descriptor that appears in a group makes it a bundle, and its removal makes it a group again', async () => {
  using base = tree({ 'skills/group/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  base.write('skills/group/SKILL.md', skillText('group'));
  await sees(agent, 'group', 'Does group.');
  await sees(agent, 'a', undefined);
  rmSync(base.at('skills/group/SKILL.md'));
  await sees(agent, 'a', 'Does a.');
  await equalsCold(agent, base);
});

test('a file that got a second name elsewhere is refused soon after', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  linkSync(base.at('skills/a/SKILL.md'), base.at('skills/second-name'));
  await eventually(() =>
    assert.equal(agent.skills.list().find(({ file }) => file !== '')?.status, 'invalid'),
  );
  await equalsCold(agent, base);
});

test('only touched descriptors are read again', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
  const { families } = new RecursiveSkilledAgent();
  await pause(150); // older than the resolution of timestamps, so that no sweep is in doubt
  const parsed: string[] = [];
  const spying = families.map((family) => ({
    ...family,
    parse: (bundle: Parameters<typeof family.parse>[0]) => {
      parsed.push(bundle.stem);
      return family.parse(bundle);
    },
  }));
  await using agent = await watched(base, { families: spying });
  parsed.length = 0;
  base.write('skills/b/SKILL.md', skillText('b', 'Again.'));
  await sees(agent, 'b', 'Again.');
  base.write('skills/c/SKILL.md', skillText('c'));
  await sees(agent, 'c', 'Does c.');
  assert.deepEqual(new Set(parsed), new Set(['b', 'c']));
});

test('a touch, the same text again and changed permissions do not count as a change', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/run.sh': 'echo\n',
    'skills/a/more/x': '1',
  });
  await using agent = await watched(base);
  const harmless = (): void => {
    utimesSync(base.at('skills/a/SKILL.md'), new Date(), new Date());
    base.write('skills/a/SKILL.md', readFileSync(base.at('skills/a/SKILL.md')));
    base.write('skills/a/run.sh', 'echo\n');
    utimesSync(base.at('skills/a/more/x'), 1, 1);
    chmodSync(base.at('skills/a/run.sh'), 0o600);
    renameSync(base.at('skills/a'), base.at('skills/aside'));
    renameSync(base.at('skills/aside'), base.at('skills/a'));
  };
  assert.deepEqual(await bumps(agent, base, harmless), []);
});

test('the same files made again do not count as a change', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/a/more/run.sh': 'echo\n' });
  await using agent = await watched(base);
  cpSync(base.at('skills'), base.at('copy'), { recursive: true });
  const replace = (): void => {
    renameSync(base.at('skills'), base.at('old'));
    renameSync(base.at('copy'), base.at('skills'));
  };
  assert.deepEqual(await bumps(agent, base, replace), []);
});

test('a change beside the descriptor counts, also in folders inside the bundle', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/run.sh': 'echo\n',
    'skills/a/more/x': '1',
  });
  await using agent = await watched(base);
  const digest = (): string | undefined => agent.skills.digest(agent.skills.resolve('a'));
  for (const change of [
    () => base.write('skills/a/run.sh', 'echo 2\n'),
    () => base.write('skills/a/more/x', '2'),
    () => base.write('skills/a/more/deep/er', 'new'),
    () => base.write('skills/a/more/deep/er', 'changed'),
    () => rmSync(base.at('skills/a/more'), { recursive: true }),
    () => chmodSync(base.at('skills/a/run.sh'), 0o700),
  ]) {
    const before = digest();
    assert.deepEqual(await bumps(agent, base, change), ['a']);
    assert.notEqual(digest(), before);
  }
});

test('a change of a skill that another one shadows does not count', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    '.agents/skills/a/SKILL.md': skillText('a', 'Is shadowed.'),
    '.agents/skills/a/x': '1',
  });
  await using agent = await watched(base);
  const change = (): void => {
    base.write('.agents/skills/a/SKILL.md', skillText('a', 'Is still shadowed.'));
    base.write('.agents/skills/a/x', '2');
  };
  assert.deepEqual(await bumps(agent, base, change), []);
  const shadowed = agent.skills.list().find(({ status }) => status === 'shadowed');
  assert.equal(shadowed?.card.description, 'Is still shadowed.');
});

test('a half-written file is not published before it has been left alone for a second', async (t) => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a', 'Version 0.') });
  await using agent = await watched(base);
  const file = base.at('skills/a/SKILL.md');
  const parts: unknown[] = [];
  agent.skills.subscribe((skills) => {
    const skill = skills.find(({ name }) => name === 'a');
    const isWhole = skill?.issues.length === 0 && /^Version \d\.$/.test(skill.card.description);
    if (!isWhole) parts.push(skill?.card.description);
  });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() }); // only the test lets time pass
  for (const version of [1, 2, 3]) {
    const text = skillText('a', `Version ${version}.`);
    for (const end of [0, 5, 12, 20, 35]) {
      writeNow(file, text.slice(0, end)); // empty, then truncated in the frontmatter
      await pause(60);
      t.mock.timers.tick(990);
      await pause(60);
    }
    writeNow(file, text);
    t.mock.timers.tick(30);
    await sees(agent, 'a', `Version ${version}.`);
  }
  assert.deepEqual(parts, []);
  writeNow(file, skillText('a').slice(0, 20));
  await pause(60);
  t.mock.timers.tick(1_000);
  await eventually(() => assert.equal(parts.length, 1));
});

test('a file that is written bit by bit under other changes is published when it has been quiet', async (t) => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a', 'Old.'), 'skills/noise/x': '' });
  await using agent = await watched(base);
  const file = base.at('skills/a/SKILL.md');
  const text = `---\ndescription: New.\nname: a\n---\n${'Line.\n'.repeat(200)}`;
  let updates = 0;
  agent.skills.subscribe((_skills, { updated }) => {
    if (updated.includes('a')) updates += 1;
  });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() }); // only the test lets time pass
  for (let end = 0; end < text.length + 10; end += 10) {
    writeNow(file, text.slice(0, end));
    base.write('skills/noise/x', String(end));
    await pause(5);
  }
  t.mock.timers.tick(20);
  await pause(60);
  assert.equal(updates, 0);
  t.mock.timers.tick(10);
  await sees(agent, 'a', 'New.');
});

/** Writes a file with a timestamp from the test's clock. */
function writeNow(file: string, text: string): void {
  writeFileSync(file, text);
  utimesSync(file, new Date(), new Date());
}

test('a file that stays cut off is published as what it is', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  writeFileSync(base.at('skills/a/SKILL.md'), '---\nname: a\ndescription: No end');
  await sees(agent, 'a', 'No end');
  await equalsCold(agent, base);
});

test('readers keep the snapshot they have', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  const snapshot = agent.skills.snapshot();
  const before = snapshot.skills.map(({ name, card }) => [name, card.description]);
  base.write('skills/a/SKILL.md', skillText('a', 'Changed.'));
  base.write('skills/b/SKILL.md', skillText('b'));
  await sees(agent, 'b', 'Does b.');
  await sees(agent, 'a', 'Changed.');
  assert.deepEqual(
    snapshot.skills.map(({ name, card }) => [name, card.description]),
    before,
  );
  assert.equal(snapshot.lookup.find('b'), undefined);
});

test('reload resolves when the registry equals the disk, unfinished files included', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  base.write('skills/a/SKILL.md', '---\nname: a\ndescription: Cut');
  base.write('skills/b/SKILL.md', skillText('b'));
  await agent.reload();
  assert.deepEqual(viewOf(agent), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
});

test('a folder that is loaded later is followed too', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  await using agent = await watched(base);
  base.write('late/b/SKILL.md', skillText('b'));
  const loaded = await agent.skills.loadDir(base.at('late'));
  assert.deepEqual(
    loaded.map(({ name }) => name),
    ['b'],
  );
  base.write('late/b/SKILL.md', skillText('b', 'Changed.'));
  await sees(agent, 'b', 'Changed.');
  base.write('skills/a/SKILL.md', skillText('a', 'Changed.'));
  await sees(agent, 'a', 'Changed.');
});

test('after shutdown nothing is followed, and the registry stays readable', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  const agent = await watched(base);
  base.write('skills/b/SKILL.md', skillText('b'));
  await agent.shutdown();
  base.write('skills/c/SKILL.md', skillText('c'));
  await pause(200);
  assert.deepEqual([agent.skills.has('a'), agent.skills.has('c')], [true, false]);
  await agent.shutdown();
});

test('when the system gives no more watches, sweeps find what changes, with a notice until it has room again', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
  let room = 3;
  let open = 0;
  const events = new Map<string, (kind: string, name: string) => void>();
  const looks: Look[] = [];
  const watching = watchSkills({
    families: builtinFamilies,
    limits: defaultSkillLimits,
    knowledge: noKnowledge(),
    roots: () => ({ roots: [{ path: base.at('skills'), source: 'project', kind: 'skills' }], issues: [] }),
    publish: (look) => looks.push(look),
    startWatch: (dir, onEvent) => {
      if (open >= room) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      open++;
      events.set(dir, onEvent);
      return { close: () => open-- };
    },
  });
  await watching.ready;
  const last = (): { texts: readonly string[]; issues: readonly string[] } => ({
    texts: looks.at(-1)?.discovered.map(({ draft }) => draft.card.description) ?? [],
    issues: looks.at(-1)?.issues.map(({ code }) => code) ?? [],
  });
  assert.deepEqual(last(), { texts: ['Does a.', 'Does b.'], issues: ['watch.exhausted'] });

  base.write('skills/a/SKILL.md', skillText('a', 'Changed.'));
  base.write('skills/b/SKILL.md', skillText('b', 'Changed.'));
  base.write('skills/c/SKILL.md', skillText('c'));
  await watching.sweep();
  assert.deepEqual(last(), { texts: ['Changed.', 'Changed.', 'Does c.'], issues: ['watch.exhausted'] });

  room = 10;
  base.write('skills/c/SKILL.md', skillText('c', 'Changed.'));
  await watching.sweep();
  assert.deepEqual(last(), { texts: ['Changed.', 'Changed.', 'Changed.'], issues: [] });

  base.write('skills/c/SKILL.md', skillText('c', 'By event.'));
  events.get(base.at('skills/c'))?.('change', 'SKILL.md');
  await eventually(() => assert.equal(last().texts[2], 'By event.'));
  await watching.close();
  assert.equal(open, 0);
});

test('a look that fails is reported, ends nothing, and the next one mends it', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  let fault = '';
  const looks: Look[] = [];
  const watching = watchSkills({
    families: builtinFamilies,
    limits: defaultSkillLimits,
    knowledge: noKnowledge(),
    roots: () => {
      if (fault !== '') throw new Error(fault);
      return { roots: [{ path: base.at('skills'), source: 'project', kind: 'skills' }], issues: [] };
    },
    publish: (look) => looks.push(look),
  });
  await watching.ready;
  fault = 'the disk is on fire';
  base.write('skills/b/SKILL.md', skillText('b'));
  await eventually(() => assert.match(looks.at(-1)?.issues[0]?.message ?? '', /on fire/));
  assert.equal(looks.at(-1)?.discovered.length, 1);
  fault = '';
  await watching.sweep();
  assert.deepEqual([looks.at(-1)?.issues, looks.at(-1)?.discovered.length], [[], 2]);
  await watching.close();
});

test('a start that fails leaves no watch', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  const system = onlySweeps();
  const broken = builtinFamilies.map((family) => ({
    ...family,
    get id(): string {
      throw new Error('no id');
    },
  }));
  await assert.rejects(follow([skillsAt(base.at('skills'))], { ...system, families: broken }), /no id/);
  assert.equal(system.open.size, 0);
});

test('an agent that watches and is forgotten does not keep the process alive', async () => {
  using base = tree({ 'skills/a/SKILL.md': skillText('a') });
  const preset = JSON.stringify(sourceUrl('src/config/preset.ts'));
  const script = `
    import { RecursiveSkilledAgent } from ${preset};
    const agent = new RecursiveSkilledAgent({ startDir: process.argv[1], searchUpwards: false, watch: true });
    await agent.ready();
    process.stdout.write(agent.skills.resolve('a').name);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, base.path]);
  const printed: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const timeout = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timeout);
  assert.deepEqual([code, printed.join('')], [0, 'a']);
});

test('more folders than are watched: changes in the others are found by a sweep', async () => {
  using base = tree(
    Object.fromEntries(['a', 'b', 'c'].map((name) => [`skills/${name}/SKILL.md`, skillText(name)])),
  );
  const looks: Look[] = [];
  const watching = watchSkills({
    families: builtinFamilies,
    limits: defaultSkillLimits,
    knowledge: noKnowledge(),
    roots: () => ({ roots: [{ path: base.at('skills'), source: 'project', kind: 'skills' }], issues: [] }),
    publish: (look) => looks.push(look),
    maxWatched: 1,
  });
  await watching.ready;
  assert.deepEqual(
    looks.at(-1)?.issues.map(({ level, code }) => `${level} ${code}`),
    ['info watch.exhausted'],
  );
  base.write('skills/c/SKILL.md', skillText('c', 'Changed.'));
  base.write('skills/new/SKILL.md', skillText('new', 'Is new.'));
  await watching.sweep();
  assert.deepEqual(
    looks.at(-1)?.discovered.map(({ draft }) => draft.card.description),
    ['Does a.', 'Does b.', 'Changed.', 'Is new.'],
  );
  await watching.close();
});
