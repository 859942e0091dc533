import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { sourceUrl } from '../../../test/support/source-file.ts';
import { tree } from '../../../test/support/tree.ts';
import { createRedactor } from '../../core/secrets/redact.ts';
import type { Draft } from '../discover/draft.ts';
import { readKnowledge, removeOldCaches, writeKnowledge } from './cache-file.ts';
import { noKnowledge, type Knowledge, type KnownFile } from './memo.ts';

const print = {
  ino: 9_007_199_254_740_991,
  size: 3,
  mtime: 1.25,
  ctime: 1_795_000_000_123.25,
  birth: 0,
  at: 4,
};
const draft: Draft = {
  name: 'Ünïcode \ud800 \u2028',
  card: { description: 'Line\none.', metadata: { deep: { list: [1, null, 'x'] } } },
  issues: [{ level: 'warning', code: 'a.b', message: 'Text.', line: 3, standard: true }],
  usable: true,
  sum: 'sum',
};

const secret = 'open-sesame-of-mine';
const families = { families: new Set(['f']), redact: createRedactor([secret]) };

function sample(): Knowledge {
  const known = noKnowledge();
  const listing = { dirs: ['x'], files: ['SKILL.md'], links: ['l'], odd: ['o.md'] };
  known.folders.set('/', { print, listing, round: 0 });
  known.folders.set('/a', { print, listing: { dirs: [], files: [], links: [], odd: [] }, round: 0 });
  known.files.set('/a/SKILL.md', { print, hash: 'h', family: 'f', key: 'k|1', draft, round: 0 });
  known.files.set('/loose.md', { print, hash: 'h', family: 'f', key: 'k|2', draft: undefined, round: 0 });
  known.files.set('/far/away/x.md', { print, hash: 'h', family: 'f', key: 'k|3', draft, round: 0 });
  known.isChanged = true;
  return known;
}

test('knowledge comes back as it was kept', () => {
  using base = tree();
  const known = sample();
  writeKnowledge(base.at('cache'), 'key', known, families);
  assert.equal(known.isChanged, false);
  assert.deepEqual(readKnowledge(base.at('cache'), 'key'), known);
});

test('drafts of other families are left out', () => {
  using base = tree();
  const known = sample();
  const other = known.files.get('/loose.md');
  assert.ok(other);
  known.files.set('/loose.md', { ...other, family: 'g' });
  writeKnowledge(base.at('cache'), 'key', known, families);
  known.files.delete('/loose.md');
  assert.deepEqual(readKnowledge(base.at('cache'), 'key'), known);
});

test('an entry with a secret is not stored, wherever the secret is, and the rest is', () => {
  using base = tree();
  const file = base.at('cache');
  const insertions: readonly ((known: Knowledge, text: string) => void)[] = [
    (known, text) => known.files.set('/x.md', fileWith({ ...draft, card: { description: `Uses ${text}.` } })),
    (known, text) =>
      known.files.set(
        '/x.md',
        fileWith({ ...draft, card: { description: 'x', metadata: { [text]: [text] } } }),
      ),
    (known, text) =>
      known.files.set(
        '/x.md',
        fileWith({ ...draft, issues: [{ level: 'error', code: 'a.b', message: text }] }),
      ),
    (known, text) => known.files.set(`/${text}.md`, fileWith(draft)),
    (known, text) =>
      known.folders.set('/n', {
        print,
        round: 0,
        listing: { dirs: [], files: [`${text}.md`], links: [], odd: [] },
      }),
  ];
  for (const text of [secret, `sk-${'a1b2'.repeat(6)}`, `ghp_${'a1B2'.repeat(9)}`])
    for (const put of insertions) {
      const known = sample();
      put(known, text);
      writeKnowledge(file, 'key', known, families);
      assert.ok(!readFileSync(file, 'latin1').includes(text));
      assert.deepEqual({ ...readKnowledge(file, 'key'), isChanged: true }, sample());
    }
});

test('a secret that became known since makes the start cold', () => {
  using base = tree();
  const known = sample();
  known.files.set('/x.md', fileWith({ ...draft, card: { description: 'Says "later-known" twice.' } }));
  writeKnowledge(base.at('cache'), 'key', known, families);
  assert.deepEqual(readKnowledge(base.at('cache'), 'key', ['unrelated']), known);
  assert.deepEqual(readKnowledge(base.at('cache'), 'key', ['"later-known"']), noKnowledge());
});

function fileWith(one: Draft): KnownFile {
  return { print, hash: 'h', family: 'f', key: 'k|4', draft: one, round: 0 };
}

test('a missing file, another key, an older version and another kind of file count as nothing known', () => {
  using base = tree();
  const file = base.at('cache');
  assert.deepEqual(readKnowledge(file, 'key'), noKnowledge());
  writeKnowledge(file, 'key', sample(), families);
  assert.deepEqual(readKnowledge(file, 'other'), noKnowledge());
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^skilled-cache \d+/, 'skilled-cache 1'));
  assert.deepEqual(readKnowledge(file, 'key'), noKnowledge());
  for (const other of ['', '\n', '{}', 'skilled-cache', '\0'.repeat(100)]) {
    writeFileSync(file, other);
    assert.deepEqual(readKnowledge(file, 'key'), noKnowledge());
  }
  mkdirSync(base.at('folder'));
  assert.deepEqual(readKnowledge(base.at('folder'), 'key'), noKnowledge());
});

test('any damage to the file makes it count as nothing known', () => {
  using base = tree();
  const file = base.at('cache');
  writeKnowledge(file, 'key', sample(), families);
  const whole = readFileSync(file);
  const damage = fc.oneof(
    fc.nat(whole.length - 1).map((end) => whole.subarray(0, end)),
    fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ bits;
      return bytes;
    }),
    fc.uint8Array({ minLength: 1 }).map((more) => Buffer.concat([whole, more])),
  );
  fc.assert(
    fc.property(damage, (bytes) => {
      writeFileSync(file, bytes);
      assert.deepEqual(readKnowledge(file, 'key'), noKnowledge());
    }),
    { numRuns: 300 },
  );
});

test('a FIFO in its place is not waited for', () => {
  using base = tree();
  execFileSync('mkfifo', [base.at('cache')]);
  assert.deepEqual(readKnowledge(base.at('cache'), 'key'), noKnowledge());
});

test('a file that others could have written, or a link to one, is not believed', () => {
  using base = tree();
  writeKnowledge(base.at('cache'), 'key', sample(), families);
  chmodSync(base.at('cache'), 0o620);
  assert.deepEqual(readKnowledge(base.at('cache'), 'key'), noKnowledge());
  chmodSync(base.at('cache'), 0o600);
  renameSync(base.at('cache'), base.at('elsewhere'));
  symlinkSync('elsewhere', base.at('cache'));
  assert.deepEqual(readKnowledge(base.at('cache'), 'key'), noKnowledge());
});

test('the folder and the file are for their owner only, and nothing else is left', () => {
  using base = tree();
  writeKnowledge(base.at('new/folder/cache'), 'key', sample(), families);
  const modes = ['new', 'new/folder', 'new/folder/cache'].map((path) => statSync(base.at(path)).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o700, 0o600]);
  assert.deepEqual(readdirSync(base.at('new/folder')), ['cache']);
});

test('a folder that cannot be written throws and leaves what was there', () => {
  using base = tree({ file: 'text' });
  const known = sample();
  assert.throws(() => writeKnowledge(base.at('file/cache'), 'key', known, families));
  mkdirSync(base.at('cache'));
  assert.throws(() => writeKnowledge(base.at('cache'), 'key', known, families));
  assert.equal(known.isChanged, true);
  assert.deepEqual(readdirSync(base.path), ['cache', 'file']);
});

test('writers at the same time leave a whole file, and readers never see half of one', async () => {
  using base = tree();
  const file = base.at('cache');
  const module = JSON.stringify(sourceUrl('src/skills/cache/cache-file.ts'));
  const script = `
    import { writeKnowledge } from ${module};
    const [file, size] = process.argv.slice(1);
    const known = { folders: new Map(), files: new Map(), isChanged: true };
    const listing = { dirs: [], files: [], links: [], odd: [] };
    for (let i = 0; i < size; i++) known.folders.set('/' + i, { print: {}, listing, round: 0 });
    for (let i = 0; i < 50; i++) writeKnowledge(file, 'key', known, { families: new Set(), redact: (text) => text });`;
  const sizes = [10, 500, 5_000];
  const writers = sizes.map((size) => {
    const args = ['--input-type=module', '-e', script, file, String(size)];
    return spawn(process.execPath, args, { stdio: 'inherit' });
  });
  let running = writers.length;
  const codes = writers.map((writer) => once(writer, 'exit').finally(() => running--));
  const observed = new Set<number>();
  while (running > 0) {
    const { size } = readKnowledge(file, 'key').folders;
    if (size > 0 || observed.size > 0) observed.add(size);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    (await Promise.all(codes)).map(([code]) => code as number),
    [0, 0, 0],
  );
  assert.deepEqual(
    [...observed].filter((size) => !sizes.includes(size)),
    [],
  );
  assert.deepEqual(readdirSync(base.path), ['cache']);
});

test('caches that were not written for a month are removed, and nothing else', () => {
  const old = 'skills-0123456789abcdef.json';
  using files = tree({
    [old]: '',
    [`${old}.1b9d6bcd.tmp`]: '',
    'skills-fedcba9876543210.json': '',
    'notes.json': '',
    'skills-mine.json': '',
  });
  const longAgo = new Date(Date.now() - 31 * 86_400_000);
  for (const name of readdirSync(files.path))
    if (!name.startsWith('skills-f')) utimesSync(files.at(name), longAgo, longAgo);
  removeOldCaches(files.path);
  assert.deepEqual(readdirSync(files.path).sort(), [
    'notes.json',
    'skills-fedcba9876543210.json',
    'skills-mine.json',
  ]);
});
