import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { startGenerationWorker } from '../../test/processes/start-generation-worker.ts';
import { settled } from '../../test/support/deadline.ts';
import { sourceUrl } from '../../test/support/source-file.ts';
import { tree } from '../../test/support/tree.ts';
import { digestFolder } from '../files/digest.ts';
import { settleGeneration, withGeneration } from './lock.ts';

const journal = '.generation/sum/swap.json';

test('nothing happens where nothing is left half done', async () => {
  using base = tree({ 'sum/src/index.ts': '' });
  await settleGeneration(base.at('sum'));
  await settleGeneration(base.at('nowhere'));
  await settleGeneration(base.at('sum/src/index.ts'));
  assert.deepEqual(readdirSync(base.path), ['sum']);
});

test('a swap under way is waited for', async () => {
  using base = tree({ 'sum/src/index.ts': '' });
  const { signal } = new AbortController();
  let isOver = false;
  const reader = Promise.withResolvers<undefined>();
  await withGeneration(base.at('sum'), { signal }, async () => {
    base.write(journal, '{}');
    const settled = settleGeneration(base.at('sum')).then(() => assert.ok(isOver));
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    isOver = true;
    rmSync(base.at(journal));
    settled.then(() => reader.resolve(undefined), reader.reject);
  });
  await reader.promise;
});

test('what no one is at any more is cleared away', async () => {
  using base = tree({ 'sum/src/index.ts': '', [journal]: 'rubbish' });
  await settleGeneration(base.at('sum'));
  assert.equal(existsSync(base.at(journal)), false);
});

test('code that is written by hand stays, whatever somebody put beside it', async () => {
  const staging = `staging-${'ab'.repeat(18)}`;
  const forged = { [`.generation/sum/${staging}/copy/src/index.ts`]: 'forged' };
  using base = tree({ 'sum/src/index.ts': 'own', ...forged });
  base.write(journal, JSON.stringify({ version: 1, staging, origin: digestFolder(base.at('sum')) }));
  await settleGeneration(base.at('sum'));
  assert.equal(readFileSync(base.at('sum/src/index.ts'), 'utf8'), 'own');
  assert.equal(existsSync(base.at(journal)), false);
});

test('what cannot be finished keeps no one waiting', async () => {
  using base = tree({ 'sum/src/index.ts': '', [`${journal}/x/y`]: '', '.generation/sum/lock/x': '' });
  await settleGeneration(base.at('sum'));
  assert.equal(existsSync(base.at('sum/src/index.ts')), true);
});

test('code of specs that lie in no file is put in place as that of others', async () => {
  const staging = `staging-${'ab'.repeat(18)}`;
  const copy = `.generation/sum/${staging}/copy/src/rules.ts`;
  using base = tree({ 'sum/src/rules.ts': 'old', [copy]: 'new' });
  base.write(journal, JSON.stringify({ version: 1, staging, origin: digestFolder(base.at('sum')) }));
  await settleGeneration(base.at('sum'), { 'rules.ts.md': 'Does it.' });
  assert.equal(readFileSync(base.at('sum/src/rules.ts'), 'utf8'), 'new');
});

const { signal } = new AbortController();

describe('one at a time', () => {
  test('in one process, also through a link', async () => {
    using base = tree({ 'sum/specs/a.md': '' });
    symlinkSync(base.at('sum'), base.at('total'));
    let inside = 0;
    let most = 0;
    const work = async (): Promise<number> => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      return (inside -= 1);
    };
    const dirs = ['sum', 'total', 'sum', 'total', 'sum'];
    await Promise.all(dirs.map((dir) => withGeneration(base.at(dir), { signal }, work)));
    assert.equal(most, 1);
  });

  test('bundles beside each other do not wait', async () => {
    using base = tree({ 'a/specs/a.md': '', 'b/specs/b.md': '' });
    const both = await withGeneration(base.at('a'), { signal }, () =>
      withGeneration(base.at('b'), { signal, onWait: () => assert.fail() }, async () => 'both'),
    );
    assert.equal(both, 'both');
  });

  test('what fails lets the next one in', async () => {
    using base = tree({ 'sum/specs/a.md': '' });
    await assert.rejects(
      withGeneration(base.at('sum'), { signal }, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    assert.equal(await withGeneration(base.at('sum'), { signal }, async () => 1), 1);
  });

  test('over processes; one that is killed lets the next one in', async () => {
    using base = tree({ 'sum/specs/a.md': '' });
    await using holder = startGenerationWorker({ dir: base.at('sum'), task: 'hold' });
    assert.equal(await holder.said(), 'held');
    const waits = Promise.withResolvers<undefined>();
    let waited = 0;
    const onWait = (): void => {
      waited += 1;
      waits.resolve(undefined);
    };
    let isIn = false;
    const next = withGeneration(base.at('sum'), { signal, onWait }, async () => (isIn = true));
    await settled(waits.promise, 'waiting');
    assert.equal(isIn, false);
    await holder.kill();
    assert.equal(await settled(next, 'the lock'), true);
    assert.equal(waited, 1);
  });

  test('who waits can be cancelled, with the reason that was given', async () => {
    using base = tree({ 'sum/specs/a.md': '' });
    const reason = new Error('enough');
    const control = new AbortController();
    const onWait = (): void => control.abort(reason);
    await withGeneration(base.at('sum'), { signal }, async () => {
      const other = withGeneration(base.at('sum'), { signal: control.signal, onWait }, () => assert.fail());
      await assert.rejects(other, reason);
    });
    await assert.rejects(
      withGeneration(base.at('sum'), { signal: control.signal }, () => assert.fail()),
      reason,
    );
  });
});

describe('what others left', () => {
  test('copies of bundles and unfinished files go, everything else stays', async () => {
    using base = tree({ 'sum/specs/a.md': '' });
    const staging = `staging-${'ab'.repeat(18)}`;
    base.write(`.generation/sum/${staging}/copy/src/a.ts`, '');
    base.write('.generation/sum/failure.json.123.tmp', '');
    base.write('.generation/sum/failure.json', '{}');
    base.write('.generation/sum/staging-notes/a.txt', '');
    await withGeneration(base.at('sum'), { signal }, async () => undefined);
    assert.deepEqual(readdirSync(base.at('.generation/sum')), ['failure.json', 'lock', 'staging-notes']);
    assert.equal(readFileSync(base.at('.generation/.gitignore'), 'utf8'), '*\n');
  });

  test('an invalid lock is repaired', async () => {
    using base = tree({ 'sum/specs/a.md': '', 'elsewhere.txt': 'x' });
    base.write('.generation/sum/lock', 'this is no database '.repeat(1000));
    await withGeneration(base.at('sum'), { signal }, async () => undefined);
    rmSync(base.at('.generation/sum/lock'));
    symlinkSync(base.at('elsewhere.txt'), base.at('.generation/sum/lock'));
    await withGeneration(base.at('sum'), { signal }, async () => undefined);
    assert.ok(lstatSync(base.at('.generation/sum/lock')).isFile());
    assert.equal(readFileSync(base.at('elsewhere.txt'), 'utf8'), 'x');
  });

  test('a transaction that comes with a lock is not finished, and takes no file with it', async () => {
    using base = tree({ 'sum/specs/a.md': '', 'elsewhere.txt': 'x', '.generation/sum/.keep': '' });
    const lock = base.at('.generation/sum/lock');
    using database = new DatabaseSync(lock);
    database.exec('CREATE TABLE t (x)');
    writeFileSync(`${lock}-journal`, hotJournal(base.at('elsewhere.txt'), statSync(lock).size / 4096));
    await withGeneration(base.at('sum'), { signal }, async () => undefined);
    assert.equal(readFileSync(base.at('elsewhere.txt'), 'utf8'), 'x');
    assert.equal(statSync(lock).size, 0);
    assert.ok(!existsSync(`${lock}-journal`));
  });
});

/** Returns an SQLite journal of a larger transaction, whose file disappears once that has been rolled back. */
function hotJournal(larger: string, pages: number): Buffer {
  const magic = Buffer.from('d9d505f920a163d7', 'hex');
  const numbers = (...values: readonly number[]): Buffer =>
    Buffer.concat(values.map((value) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex')));
  const head = Buffer.alloc(512);
  Buffer.concat([magic, numbers(0, 1, pages, 512, 4096)]).copy(head);
  const name = Buffer.from(larger);
  const sum = name.reduce((total, byte) => total + byte, 0);
  return Buffer.concat([head, numbers(2 ** 30 / 4096 + 1), name, numbers(name.length, sum), magic]);
}

describe('where nothing can be written', () => {
  test('the folder is named, and the code stays', async () => {
    using base = tree({
      'around/sum/specs/index.md': '',
      'total/specs/index.md': '',
      'total/src/own.ts': '',
    });
    const modes = { around: 0o555, total: 0o555, '.': 0o777 };
    for (const [path, mode] of Object.entries(modes)) chmodSync(base.at(path), mode);
    const [outer, inner] = await failures(base.at('around/sum'), base.at('total'));
    for (const path of Object.keys(modes)) chmodSync(base.at(path), 0o755);
    const [sum, total] = [base.at('around/sum'), base.at('total')];
    const refused = (code: string, folder: string): string =>
      `skill.failed Code for ${code} cannot be generated because ${folder} is not writable (EACCES).`;
    assert.equal(outer, refused(sum, base.at('around')));
    assert.equal(inner, refused(total, total));
    assert.deepEqual(readdirSync(base.at('total')), ['specs', 'src']);
  });
});

/** Returns the failures of generation for folders, as an ordinary user: root may write everywhere. */
async function failures(...dirs: readonly string[]): Promise<readonly [string, string]> {
  const program = `
    const { withGeneration } = await import(${JSON.stringify(sourceUrl('src/generation/lock.ts'))});
    const { openStaging } = await import(${JSON.stringify(sourceUrl('src/generation/staging.ts'))});
    if (process.getuid() === 0) process.setuid(65534); // once all code is loaded, which may be closed to others
    const { signal } = new AbortController();
    for (const dir of ${JSON.stringify(dirs)}) {
      await withGeneration(dir, { signal }, async () => void openStaging(dir)).then(
        () => console.log('no failure'),
        ({ code, message }) => console.log(code + ' ' + message),
      );
    }
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  await once(child, 'close');
  const [first = '', second = ''] = output.trim().split('\n');
  return [first, second];
}
