import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../test/support/deadline.ts';
import { viewOf } from '../../../test/support/registry-view.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Family } from '../../core/family.ts';
import { builtinFamilies } from '../../families/index.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

function workspace(): Tree {
  return tree({
    'work/skills/a/SKILL.md': skillText('a'),
    'work/skills/a/notes.txt': 'beside',
    'work/skills/group/b/SKILL.md': skillText('b'),
    'work/skills/group/c/SKILL.md': '---\nname: c\n', // messy
    'work/skills/loose.md': skillText('loose'),
    'work/skills/plain.md': 'Not a skill.\n',
    'work/agents/helper.md': skillText('helper'),
    'shelf/linked/SKILL.md': skillText('linked'),
    'shelf/other/SKILL.md': skillText('other'),
  });
}

function optionsFor(base: Tree): AgentOptions {
  return {
    startDir: base.at('work'),
    searchUpwards: false,
    allowSymlinkTargets: [base.at('shelf')],
  };
}

function start(base: Tree, more: AgentOptions = {}): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ ...optionsFor(base), cache: base.at('cache'), ...more });
}

function equalsCold(base: Tree): void {
  assert.deepEqual(viewOf(start(base)), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
}

/** Creates agents whose built-in families record the files that they parse. */
function spying(base: Tree): { start(more?: AgentOptions): BareAgent; readonly parsed: string[] } {
  const parsed: string[] = [];
  const families = builtinFamilies.map((family): Family => ({
    ...family,
    parse(bundle) {
      parsed.push(bundle.stem);
      return family.parse(bundle);
    },
  }));
  const ports = { ...defaultPorts(), families };
  return {
    parsed,
    start: (more) => new BareAgent({ ...optionsFor(base), cache: base.at('cache'), ...more }, ports),
  };
}

test('a second start reads no file again and gives the same registry', async () => {
  using base = workspace();
  await pause(150); // older than the resolution of timestamps, so that nothing is in doubt
  const spy = spying(base);
  const cold = viewOf(spy.start());
  assert.ok(spy.parsed.length >= 5);
  spy.parsed.length = 0;
  assert.deepEqual(viewOf(spy.start()), cold);
  assert.deepEqual(spy.parsed, []);
});

test('a start of which nothing new was learned leaves the cache as it is', async () => {
  using base = workspace();
  await pause(150);
  start(base).skills.list();
  const [name = ''] = readdirSync(base.at('cache'));
  const { ino } = statSync(base.at('cache', name));
  start(base).skills.list();
  assert.equal(statSync(base.at('cache', name)).ino, ino);
  base.write('work/skills/d/SKILL.md', skillText('d'));
  start(base).skills.list();
  assert.notEqual(statSync(base.at('cache', name)).ino, ino);
});

const changes: Record<string, (base: Tree) => void> = {
  'another text of the same length': (base) =>
    base.write('work/skills/a/SKILL.md', skillText('a', 'Doze a.')),
  'another text with the old size and time stamp': (base) => {
    const file = base.at('work/skills/a/SKILL.md');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, skillText('a', 'Doze a.'));
    utimesSync(file, atime, mtime);
  },
  'another file in its place with the old size and time stamp': (base) => {
    const file = base.at('work/skills/a/SKILL.md');
    const { atime, mtime } = statSync(file);
    writeFileSync(`${file}~`, skillText('a', 'Doze a.'));
    utimesSync(`${file}~`, atime, mtime);
    renameSync(`${file}~`, file);
  },
  'two folders that change places': (base) => {
    renameSync(base.at('work/skills/a'), base.at('work/skills/x'));
    renameSync(base.at('work/skills/group/b'), base.at('work/skills/a'));
    renameSync(base.at('work/skills/x'), base.at('work/skills/group/b'));
  },
  'a renamed folder': (base) => renameSync(base.at('work/skills/group'), base.at('work/skills/crowd')),
  'a link that leads elsewhere': (base) => {
    rmSync(base.at('work/skills/link'));
    symlinkSync(base.at('shelf/other'), base.at('work/skills/link'));
  },
  'a link that leads nowhere now': (base) => rmSync(base.at('shelf/linked'), { recursive: true }),
  'a new ignore file': (base) => base.write('work/skills/.gitignore', 'a/\n'),
  'a changed ignore file': (base) => base.write('work/skills/group/.gitignore', 'b/\n'),
  'a descriptor in what was a group': (base) => base.write('work/skills/group/SKILL.md', skillText('group')),
  'a descriptor that is gone': (base) => rmSync(base.at('work/skills/a/SKILL.md')),
  'a loose file that becomes a skill': (base) => base.write('work/skills/plain.md', skillText('plain')),
  'a loose file that is no skill any more': (base) => base.write('work/skills/loose.md', 'Text.\n'),
  'a second name for a descriptor': (base) => linkSync(base.at('work/skills/a/SKILL.md'), base.at('second')),
  'a folder in the place of a descriptor': (base) => {
    rmSync(base.at('work/skills/a/SKILL.md'));
    mkdirSync(base.at('work/skills/a/SKILL.md'));
  },
  'a link in the place of a folder': (base) => {
    rmSync(base.at('work/skills/a'), { recursive: true });
    symlinkSync(base.at('shelf/other'), base.at('work/skills/a'));
  },
  'a root that is gone': (base) => rmSync(base.at('work/skills'), { recursive: true }),
  'a root that is a file': (base) => {
    rmSync(base.at('work/agents'), { recursive: true });
    base.write('work/agents', '');
  },
  'a root that comes': (base) => base.write('work/.agents/skills/new/SKILL.md', skillText('new')),
};
for (const [what, change] of Object.entries(changes)) {
  for (const age of [0, 150]) {
    test(`after ${what}, ${age === 0 ? 'within the same moment' : 'later'}, a warm start equals a cold one`, async () => {
      using base = workspace();
      symlinkSync(base.at('shelf/linked'), base.at('work/skills/link'));
      base.write('work/skills/group/.gitignore', 'nothing\n');
      await pause(age);
      start(base).skills.list();
      change(base);
      equalsCold(base);
      equalsCold(base);
    });
  }
}

test('a file that may no longer be read is not answered from the cache', async () => {
  using base = workspace();
  chmodSync(base.path, 0o755);
  mkdirSync(base.at('cache'));
  chmodSync(base.at('cache'), 0o777);
  await pause(150);
  const preset = JSON.stringify(sourceUrl('src/config/preset.ts'));
  const script = `
    import { RecursiveSkilledAgent } from ${preset};
    const options = ${JSON.stringify(optionsFor(base))};
    const first = { ...options, cache: ${JSON.stringify(base.at('first'))} };
    new RecursiveSkilledAgent(first).skills.list(); // loads all code, and looks at it, while it can be read
    if (process.getuid() === 0) process.setuid(65534); // root may read everything
    const agent = new RecursiveSkilledAgent({ ...options, cache: ${JSON.stringify(base.at('cache'))} });
    process.stdout.write(JSON.stringify(agent.skills.diagnostics()));`;
  const diagnosticCodes = (): readonly string[] => {
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(child.status, 0, child.stderr);
    const issues = JSON.parse(child.stdout) as { code: string; file?: string }[];
    return issues.flatMap(({ code, file = '' }) => (/\/a(?:\/SKILL\.md)?$/.test(file) ? [code] : []));
  };
  assert.deepEqual(diagnosticCodes(), []);
  chmodSync(base.at('work/skills/a/SKILL.md'), 0);
  assert.deepEqual(diagnosticCodes(), ['descriptor.unreadable']);
  chmodSync(base.at('work/skills/a'), 0);
  assert.deepEqual(diagnosticCodes(), ['scan.unreadable']);
  chmodSync(base.at('work/skills/a'), 0o755);
});

test('a corrupt, truncated or foreign cache is ignored and made again', async () => {
  using base = workspace();
  await pause(150);
  start(base).skills.list();
  const [name = ''] = readdirSync(base.at('cache'));
  const file = base.at('cache', name);
  const whole = readFileSync(file, 'utf8');
  for (const text of ['', whole.slice(0, -1), whole.replace('Does a.', 'Does z.'), `${whole} `, 'other']) {
    writeFileSync(file, text);
    equalsCold(base);
    assert.equal(readFileSync(file, 'utf8').split('\n')[1]?.includes('Does a.'), true);
  }
});

test('knowledge gained with other limits is not used', () => {
  using base = workspace();
  start(base).skills.list();
  const options = { limits: { descriptorBytes: 10 } };
  const cold = new RecursiveSkilledAgent({ ...optionsFor(base), ...options });
  assert.deepEqual(viewOf(start(base, options)), viewOf(cold));
});

test('what a family of the caller parsed is not kept, since no one knows when its parser changes', async () => {
  using base = workspace();
  await pause(150);
  let ending = ' 1';
  const families = builtinFamilies.map((family): Family => ({
    ...family,
    parse(bundle) {
      const parsed = family.parse(bundle);
      return { ...parsed, card: { ...parsed.card, description: parsed.card.description + ending } };
    },
  }));
  const text = (): string | undefined => start(base, { families }).skills.get('a')?.card.description;
  start(base).skills.list();
  assert.equal(text(), 'Does a. 1');
  ending = ' 2';
  assert.equal(text(), 'Does a. 2');
  equalsCold(base);
});

test('a cache folder that cannot be written is worth a note, not a failure', () => {
  using base = workspace();
  base.write('cache', 'a file');
  const agent = start(base);
  assert.ok(agent.skills.has('a'));
  const notes = agent.skills.diagnostics().filter(({ code }) => code.startsWith('cache.'));
  assert.deepEqual(
    notes.map(({ level, code }) => [level, code]),
    [['info', 'cache.unwritable']],
  );
});

test('without a cache folder nothing is written, and never into the workspace', () => {
  using base = workspace();
  const before = readdirSync(base.path, { recursive: true }).sort();
  new RecursiveSkilledAgent(optionsFor(base)).skills.list();
  assert.deepEqual(readdirSync(base.path, { recursive: true }).sort(), before);
  start(base).skills.list();
  const after = readdirSync(base.path, { recursive: true }).map(String).sort();
  assert.deepEqual(
    after.filter((path) => !path.startsWith('cache')),
    before,
  );
});

test('a watching agent starts warm, verifies what it was told and keeps what it learned', async () => {
  using base = workspace();
  await pause(150);
  {
    await using agent = await start(base, { watch: true }).ready();
    assert.deepEqual(viewOf(agent), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
  }
  const spy = spying(base);
  {
    await using agent = await spy.start({ watch: true }).ready();
    assert.ok(agent.skills.has('a'));
  }
  spy.parsed.length = 0;
  base.write('work/skills/a/SKILL.md', skillText('a', 'Changed.'));
  await using agent = await spy.start({ watch: true }).ready();
  assert.deepEqual(spy.parsed, ['a']);
  assert.equal(agent.skills.get('a')?.card.description, 'Changed.');
  base.write('work/skills/group/b/SKILL.md', skillText('b', 'Changed too.'));
  await eventually(() => assert.equal(agent.skills.get('b')?.card.description, 'Changed too.'));
});

test('a cache with a right seal over wrong content is read past, and written again', async () => {
  using base = workspace();
  viewOf(start(base));
  const file = base.at('cache', readdirSync(base.at('cache'))[0] ?? '');
  const text = readFileSync(file, 'latin1');
  const seal = text.slice(0, text.indexOf('\n'));
  const body = text.slice(seal.length + 1);
  for (const wrong of [
    body.replaceAll('"issues":[]', '"issues":7'),
    body.replaceAll('["SKILL.md"]', 'null'),
  ]) {
    assert.notEqual(wrong, body);
    const bytes = Buffer.from(wrong, 'latin1');
    const mark = seal.replace(/ \d+ \d+$/, ` ${bytes.length} ${crc32(bytes)}`);
    writeFileSync(file, Buffer.concat([Buffer.from(`${mark}\n`), bytes]));
    await pause(150); // longer than the resolution of timestamps, so that the cache is trusted
    equalsCold(base);
    await using watching = await start(base, { watch: true }).ready();
    assert.deepEqual(viewOf(watching), viewOf(new RecursiveSkilledAgent(optionsFor(base))));
  }
});
