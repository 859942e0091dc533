import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { isAgentError } from '../../core/error.ts';
import { createBundleCopies, type BundleCopies } from './bundle-copies.ts';
import { freshDigest } from './fresh-digest.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

interface Stage extends Disposable {
  readonly files: Tree;
  readonly skill: { name: string; dir: string; file: string; loose: false };
  readonly digest: string;
  readonly root: string;
  /** Opens the copies as another process would. */
  copies(maxBytes?: number): BundleCopies;
}

const odd = '- a "b"\n$(c) é%41';

function stage(prepare: (files: Tree) => void = () => undefined): Stage {
  const files = tree({
    'skills/x/SKILL.md': skillText('x'),
    'skills/x/scripts/run.sh': 'echo good\n',
    'skills/x/scripts/deep/er/data.txt': 'data',
    [`skills/x/${odd}/${odd}`]: 'odd',
    'outside/good.txt': 'outside',
    'outside/x/scripts/run.sh': 'echo bad\n',
  });
  chmodSync(files.at('skills/x/scripts/run.sh'), 0o755);
  mkdirSync(files.at('skills/x/empty'));
  prepare(files);
  const skill = {
    name: 'x',
    dir: files.at('skills/x'),
    file: files.at('skills/x/SKILL.md'),
    loose: false,
  } as const;
  const root = files.at('cache/bundles');
  return {
    files,
    skill,
    root,
    digest: freshDigest({ ...skill }) ?? '',
    copies: (maxBytes) =>
      createBundleCopies({ folder: root, days: 30, ...(maxBytes === undefined ? {} : { maxBytes }) }),
    [Symbol.dispose]: () => files[Symbol.dispose](),
  };
}

const isChanged = (thrown: unknown): boolean => isAgentError(thrown) && thrown.code === 'skill.changed';

describe('a copy of a bundle', () => {
  test('has every file, with its bytes, its folders and its executable bit, and only its owner reaches it', () => {
    using on = stage();
    const copy = on.copies().open(on.skill, on.digest) ?? '';
    assert.equal(copy, join(on.root, on.digest.slice('sha256:'.length), 'files'));
    for (const path of ['SKILL.md', 'scripts/run.sh', 'scripts/deep/er/data.txt', `${odd}/${odd}`])
      assert.deepEqual(readFileSync(join(copy, path)), readFileSync(join(on.skill.dir, path)), path);
    assert.ok(statSync(join(copy, 'empty')).isDirectory());
    assert.equal(statSync(join(copy, 'scripts/run.sh')).mode & 0o777, 0o755);
    assert.equal(statSync(join(copy, 'SKILL.md')).mode & 0o777, 0o644);
    assert.equal(statSync(on.root).mode & 0o777, 0o700);
  });

  test('is created once for all callers', () => {
    using on = stage();
    const first = on.copies().open(on.skill, on.digest) ?? '';
    const { ino } = statSync(join(first, 'SKILL.md'));
    rmSync(on.files.at('skills/x/scripts'), { recursive: true }); // it is no longer checked
    const copies = on.copies();
    for (const copy of [copies.open(on.skill, on.digest), copies.open(on.skill, on.digest)]) {
      assert.equal(copy, first);
      assert.equal(statSync(join(first, 'SKILL.md')).ino, ino);
    }
  });

  test('has the files that links lead to outside, and links to its own files', () => {
    using on = stage((files) => {
      symlinkSync(files.at('outside/good.txt'), files.at('skills/x/out.txt'));
      symlinkSync(files.at('skills/x/scripts/run.sh'), files.at('skills/x/own.sh'));
      symlinkSync('deep', files.at('skills/x/scripts/shallow'));
      symlinkSync('/nowhere/at/all', files.at('skills/x/dangling'));
      symlinkSync('.', files.at('skills/x/self'));
      execFileSync('mkfifo', [files.at('skills/x/pipe')]);
    });
    const copy = on.copies().open(on.skill, on.digest) ?? '';
    assert.ok(lstatSync(join(copy, 'out.txt')).isFile());
    assert.equal(readFileSync(join(copy, 'out.txt'), 'utf8'), 'outside');
    assert.equal(readlinkSync(join(copy, 'own.sh')), 'scripts/run.sh');
    assert.equal(readlinkSync(join(copy, 'scripts/shallow')), 'deep');
    assert.equal(readlinkSync(join(copy, 'self')), '.');
    for (const name of ['dangling', 'pipe']) assert.ok(!readdirSync(copy).includes(name), name);
    assert.equal(on.copies().open(on.skill, on.digest), copy, 'and is believed by the next process');
    writeFileSync(on.files.at('outside/good.txt'), 'other');
    rmSync(on.root, { recursive: true });
    assert.throws(() => on.copies().open(on.skill, on.digest), isChanged);
  });

  const swaps: Readonly<Record<string, (files: Tree) => void>> = {
    'a byte': (files) => writeFileSync(files.at('skills/x/scripts/run.sh'), 'echo evil\n'),
    'a file that grows': (files) => appendFileSync(files.at('skills/x/scripts/run.sh'), '#'.repeat(200_000)),
    'a file that is a FIFO now': (files) => {
      rmSync(files.at('skills/x/scripts/run.sh'));
      execFileSync('mkfifo', [files.at('skills/x/scripts/run.sh')]);
    },
    'a file that is a link now': (files) => {
      rmSync(files.at('skills/x/scripts/run.sh'));
      symlinkSync(files.at('outside/x/scripts/run.sh'), files.at('skills/x/scripts/run.sh'));
    },
    'a link in place of a parent folder': (files) => {
      renameSync(files.at('skills'), files.at('moved'));
      symlinkSync('outside', files.at('skills'));
    },
    'an executable bit': (files) => chmodSync(files.at('skills/x/SKILL.md'), 0o755),
    'a new file': (files) => void files.write('skills/x/new', ''),
    'a file that is gone': (files) => rmSync(files.at('skills/x/SKILL.md')),
    'no folder at all': (files) => rmSync(files.at('skills/x'), { recursive: true }),
  };
  for (const [what, swap] of Object.entries(swaps)) {
    test(`is not made of other files than were allowed: ${what}`, () => {
      using on = stage();
      swap(on.files);
      assert.throws(() => on.copies().open(on.skill, on.digest), isChanged);
      assert.deepEqual(readdirSync(on.root), []);
    });
  }

  test('never has a file that was swapped while it was made', async () => {
    using on = stage();
    const script = on.files.at('skills/x/scripts/run.sh');
    const state = new Int32Array(new SharedArrayBuffer(8)); // a stop flag, and the number of swaps
    const worker = new Worker(swapper, { eval: true, workerData: { script, state } });
    while (Atomics.load(state, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const counts = { good: 0, changed: 0 };
    for (let turn = 0; turn < 60; turn += 1) {
      rmSync(on.root, { recursive: true, force: true });
      try {
        const copy = on.copies().open(on.skill, on.digest) ?? '';
        assert.equal(readFileSync(join(copy, 'scripts/run.sh'), 'utf8'), 'echo good\n');
        counts.good += 1;
      } catch (thrown) {
        if (!isChanged(thrown)) throw thrown;
        counts.changed += 1;
      }
    }
    Atomics.store(state, 0, 1);
    await once(worker, 'exit');
    assert.equal(counts.good + counts.changed, 60);
    assert.ok(counts.changed > 0, JSON.stringify(counts));
  });

  test('that was damaged is made again, in this process and in the next', () => {
    using on = stage();
    const copies = on.copies();
    for (const damaged of [copies, on.copies()]) {
      const copy = copies.open(on.skill, on.digest) ?? '';
      const script = join(copy, 'scripts/run.sh');
      chmodSync(script, 0o700);
      writeFileSync(script, 'echo evil\n');
      assert.equal(damaged.open(on.skill, on.digest), copy);
      assert.equal(readFileSync(script, 'utf8'), 'echo good\n');
      writeFileSync(join(copy, 'added'), '');
      damaged.open(on.skill, on.digest);
      assert.ok(!existsSync(join(copy, 'added')));
    }
  });

  test('is not believed where others can write it, nor through a link', () => {
    using on = stage();
    const copy = on.copies().open(on.skill, on.digest) ?? '';
    chmodSync(join(copy, '..'), 0o777);
    on.copies().open(on.skill, on.digest);
    assert.equal(statSync(join(copy, '..')).mode & 0o777, 0o700, 'it is another one now');
    renameSync(on.root, on.files.at('elsewhere'));
    symlinkSync(on.files.at('elsewhere'), on.root);
    assert.match(on.copies().open(on.skill, on.digest) ?? '', /skilled-bundles-/, 'copies are private then');
  });

  test('is not made of a bundle that is too large', () => {
    using on = stage((files) => {
      writeFileSync(files.at('outside/good.txt'), 'x'.repeat(2000));
      symlinkSync(files.at('outside/good.txt'), files.at('skills/x/large'));
    });
    const copies = on.copies(1000);
    for (const copy of [copies.open(on.skill, on.digest), copies.open(on.skill, on.digest)])
      assert.equal(copy, undefined);
    assert.deepEqual(readdirSync(on.root), []);
  });

  test('is kept for as long as any store keeps its runs, and removed after that', () => {
    using on = stage();
    const copy = join(on.copies().open(on.skill, on.digest) ?? '', '..');
    const dayMs = 86_400_000;
    const today = Date.now() / dayMs;
    const days = (path: string): number => Math.round(statSync(path).mtimeMs / dayMs - today);
    assert.equal(days(copy), 30);
    createBundleCopies({ folder: on.root, days: 90 }).open(on.skill, on.digest);
    on.copies().open(on.skill, on.digest);
    assert.equal(days(copy), 90);
    mkdirSync(join(on.root, '.new-fresh'));
    const before = Date.now() / 1000 - 60;
    utimesSync(copy, before, before);
    writeFileSync(on.skill.file, skillText('x', 'Another.'));
    const next = on.copies().open(on.skill, freshDigest({ ...on.skill }) ?? '') ?? '';
    assert.deepEqual(readdirSync(on.root).sort(), ['.new-fresh', next.split('/').at(-2)].sort());
  });

  test('is the same for processes that make it at once', async () => {
    using on = stage();
    const workerData = {
      skill: on.skill,
      digest: on.digest,
      root: on.root,
      start: Date.now() + 300,
      module: moduleUrl,
    };
    const workers = [0, 1, 2].map(() => new Worker(maker, { eval: true, workerData }));
    const folders = await Promise.all(
      workers.map(async (worker) => (await once(worker, 'message'))[0] as string),
    );
    assert.equal(new Set(folders).size, 1);
    assert.deepEqual(readdirSync(on.root), [on.digest.slice('sha256:'.length)]);
    assert.equal(readFileSync(join(folders[0] ?? '', 'scripts/run.sh'), 'utf8'), 'echo good\n');
    await Promise.all(workers.map((worker) => worker.terminate()));
  });
});

const moduleUrl = sourceUrl('src/skills/digest/bundle-copies.ts');

const maker = `
  const { parentPort, workerData: { skill, digest, root, start, module } } = require('node:worker_threads');
  import(module).then(({ createBundleCopies }) => {
    while (Date.now() < start);
    parentPort.postMessage(createBundleCopies({ folder: root, days: 30 }).open(skill, digest));
  });
`;

const swapper = `
  const { chmodSync, renameSync, writeFileSync } = require('node:fs');
  const { workerData: { script, state } } = require('node:worker_threads');
  while (Atomics.load(state, 0) === 0) {
    for (const word of ['evil', 'good']) {
      writeFileSync(script + '.new', 'echo ' + word + '\\n');
      chmodSync(script + '.new', 0o755);
      renameSync(script + '.new', script);
    }
    Atomics.add(state, 1, 1);
  }
`;
