import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { tree, type Tree } from '../../test/support/tree.ts';
import { isAgentError, type AgentError } from '../core/error.ts';
import { openTrustBook, type TrustBook } from './trust-book.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

const bundle = { digest: 'sha256:aa', name: 'a', dir: '/skills/a' };
const approval = { digest: 'sha256:bb', skill: 'b', rule: 'Bash(git diff)', dir: '/skills/b' };
const project = { folder: '/work', digest: 'sha256:cc' };
const pin = { key: 'sha256:k', hash: 'sha256:dd', name: 'files.read_file' };

async function filled(book: TrustBook): Promise<TrustBook> {
  await book.trust(bundle);
  await book.remember(approval);
  await book.trustProject(project);
  await book.pin(pin);
  return book;
}

function answers(book: TrustBook): readonly boolean[] {
  return [
    book.isTrusted(bundle.digest),
    book.hasApproval(approval.digest, approval.rule),
    book.isTrustedProject(project.folder, project.digest),
    book.pinOf(pin.key) === pin.hash,
  ];
}

for (const storage of ['memory', 'a file']) {
  describe(`a trust book in ${storage}`, () => {
    const opened = (files: Tree): TrustBook =>
      openTrustBook(storage === 'memory' ? undefined : files.at('own/trust.json'));

    test('trusts exactly what was granted, and nothing similar', async () => {
      using files = tree();
      const book = opened(files);
      assert.deepEqual(answers(book), [false, false, false, false]);
      await filled(book);
      assert.deepEqual(answers(book), [true, true, true, true]);
      assert.equal(book.isTrusted('sha256:a'), false);
      assert.equal(book.isTrusted(approval.digest), false);
      assert.equal(book.isTrusted(project.digest), false);
      assert.equal(book.hasApproval(approval.digest, 'Bash(git push)'), false);
      assert.equal(book.hasApproval(bundle.digest, approval.rule), false);
      assert.equal(book.isTrustedProject('/other', project.digest), false);
      assert.equal(book.isTrustedProject(project.folder, 'sha256:dd'), false);
    });

    test('lists everything once, with the time of the decision', async (t) => {
      using files = tree();
      t.mock.timers.enable({ apis: ['Date'], now: 1_000 });
      const book = await filled(await filled(opened(files)));
      const { bundles, leave: approvals, projects, pins } = book.list();
      const [first, second, third, fourth] = [bundles[0], approvals[0], projects[0], pins[0]];
      assert.deepEqual([bundles.length, approvals.length, projects.length, pins.length], [1, 1, 1, 1]);
      assert.deepEqual({ ...first, at: 0 }, { ...bundle, at: 0 });
      assert.deepEqual({ ...second, at: 0 }, { ...approval, at: 0 });
      assert.deepEqual({ ...third, at: 0 }, { ...project, at: 0 });
      assert.deepEqual({ ...fourth, at: 0 }, { ...pin, at: 0 });
      for (const entry of [first, second, third, fourth]) assert.equal(entry?.at, 1_000);
    });

    test('removes revoked entries, and returns them', async () => {
      using files = tree();
      const book = await filled(opened(files));
      const gone = await book.revoke((entry) => 'rule' in entry && entry.digest === approval.digest);
      const counts = [gone.bundles, gone.leave, gone.projects, gone.pins].map(({ length }) => length);
      assert.deepEqual(counts, [0, 1, 0, 0]);
      assert.deepEqual(answers(book), [true, false, true, true]);
      assert.deepEqual((await book.revoke(() => false)).leave, []);
      await book.revoke(() => true);
      assert.deepEqual(answers(book), [false, false, false, false]);
    });

    test('knows one version of a pinned item: the first, until another one is pinned', async () => {
      using files = tree();
      const book = opened(files);
      assert.equal(await book.pinFirst(pin), pin.hash);
      assert.equal(await book.pinFirst({ ...pin, hash: 'sha256:new' }), pin.hash);
      assert.equal(book.pinOf(pin.key), pin.hash);
      await book.pin({ ...pin, hash: 'sha256:new' });
      assert.equal(book.pinOf(pin.key), 'sha256:new');
      assert.equal(book.list().pins.length, 1);
      assert.equal(book.pinOf('sha256:other'), undefined);
      const gone = await book.revoke((entry) => 'hash' in entry && entry.name === pin.name);
      assert.deepEqual([gone.pins.length, book.pinOf(pin.key)], [1, undefined]);
    });

    test('trusts one version of a project, the last', async () => {
      using files = tree();
      const book = await filled(opened(files));
      await book.trustProject({ ...project, digest: 'sha256:new' });
      assert.equal(book.isTrustedProject(project.folder, project.digest), false);
      assert.equal(book.isTrustedProject(project.folder, 'sha256:new'), true);
    });
  });
}

describe('the file of a trust book', () => {
  test('is for its owner only, and so is its folder', async () => {
    using files = tree();
    await filled(openTrustBook(files.at('own/trust.json')));
    const modes = ['own', 'own/trust.json', 'own/trust.json.lock'].map(
      (path) => statSync(files.at(path)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o700, 0o600, 0o600]);
    assert.deepEqual(readdirSync(files.at('own')).sort(), ['trust.json', 'trust.json.lock']);
  });

  test('is of version 1, which has no pins, as long as there are none', async () => {
    using files = tree();
    const book = openTrustBook(files.at('trust.json'));
    const version = (): unknown =>
      (JSON.parse(readFileSync(files.at('trust.json'), 'utf8')) as { version: unknown }).version;
    await book.trust(bundle);
    assert.equal(version(), 1);
    assert.deepEqual(openTrustBook(files.at('trust.json')).list().pins, []);
    await book.pin(pin);
    assert.equal(version(), 2);
    assert.equal(book.isTrusted(bundle.digest), true);
    await book.revoke((entry) => 'hash' in entry);
    assert.equal(version(), 1);
  });

  test('is not made by questions', () => {
    using files = tree();
    const book = openTrustBook(files.at('own/trust.json'));
    answers(book);
    book.list();
    assert.deepEqual(readdirSync(files.path), []);
  });

  test('is read again when another process changed it, at once', async () => {
    using files = tree();
    const one = openTrustBook(files.at('trust.json'));
    const two = openTrustBook(files.at('trust.json'));
    for (let round = 0; round < 20; round++) {
      await filled(two);
      assert.deepEqual(answers(one), [true, true, true, true]);
      await two.revoke(() => true);
      assert.deepEqual(answers(one), [false, false, false, false]);
    }
  });

  test('loses nothing when four processes write', async () => {
    using files = tree();
    const file = files.at('own/trust.json');
    const module = sourceUrl('src/policy/trust-book.ts');
    const code = `
      const { openTrustBook } = await import(${JSON.stringify(module)});
      const [file, id] = process.argv.slice(-2);
      const book = openTrustBook(file);
      for (let number = 0; number < 50; number++) {
        const digest = 'sha256:' + id + '-' + number;
        if (number % 2 === 0) await book.trust({ digest, name: id, dir: '' });
        else await book.remember({ digest, skill: id, rule: 'Read', dir: '' });
      }`;
    const run = promisify(execFile);
    const args = (id: string): string[] => ['--input-type=module', '-e', code, '--', file, id];
    await Promise.all(['p', 'q', 'r', 's'].map((id) => run(process.execPath, args(id))));
    const { bundles, leave: approvals } = openTrustBook(file).list();
    const digests = new Set([...bundles, ...approvals].map(({ digest }) => digest));
    assert.equal(digests.size, 200);
    assert.deepEqual(readdirSync(files.at('own')).sort(), ['trust.json', 'trust.json.lock']);
  });

  test('is not held by a process that was killed while it wrote', async () => {
    using files = tree();
    const file = files.at('trust.json');
    const module = sourceUrl('src/policy/trust-file.ts');
    const code = `
      const { withTrustLock } = await import(${JSON.stringify(module)});
      await withTrustLock(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'));`;
    const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
    await assert.rejects(ended, { signal: 'SIGKILL' });
    const book = await filled(openTrustBook(file));
    assert.deepEqual(answers(book), [true, true, true, true]);
  });
});

/**
 * Queries and changes a book with an unusable file. Returns the error, and checks that the file stays
 * unchanged.
 */
async function refusedWith(files: Tree): Promise<AgentError> {
  const file = files.at('trust.json');
  const before = readFileSync(file);
  const book = openTrustBook(file);
  assert.deepEqual(answers(book), [false, false, false, false]);
  const thrown: unknown[] = [];
  for (const work of [() => book.list(), () => book.trust(bundle), () => book.revoke(() => true)]) {
    try {
      await work();
    } catch (error) {
      thrown.push(error);
    }
  }
  assert.equal(thrown.length, 3);
  for (const error of thrown)
    assert.ok(isAgentError(error) && error.code === 'usage.bad-settings', String(error));
  assert.deepEqual(readFileSync(file), before);
  return thrown[0] as AgentError;
}

describe('nothing is trusted, and nothing is lost, by a file that', () => {
  const written = async (): Promise<Tree> => {
    const files = tree();
    await filled(openTrustBook(files.at('trust.json')));
    return files;
  };

  const broken: Readonly<Record<string, readonly [change: (text: string) => string, said: RegExp]>> = {
    'was cut': [(text) => text.slice(0, 70), /trust\.json:4 is not valid JSON\.$/],
    'is empty': [() => '', /trust\.json:1 is not valid JSON\.$/],
    'is something else': [() => '[]', /trust\.json:1 is not an object\.$/],
    'has another version': [
      (text) => text.replace('2', '3'),
      /trust\.json:2 has an unknown version; only 1 and 2 are supported\.$/,
    ],
    'has a version without one of its lists': [
      (text) => text.replace('2', '1'),
      /trust\.json:12 has an unknown field "pins"\.$/,
    ],
    'has a list less': [
      (text) => text.replace('"leave"', '"love"'),
      /trust\.json:6 has an unknown field "love"/,
    ],
    'has no such list': [() => '{"version": 1}', /trust\.json:1 has no list "bundles"\.$/],
    'has a strange entry': [
      (text) => text.replace('"rule":', '"rules":'),
      /trust\.json:6 has an invalid entry in "leave" \(number 1\)\.$/,
    ],
  };
  for (const [what, [change, said]] of Object.entries(broken)) {
    test(what, async () => {
      using files = await written();
      files.write('trust.json', change(readFileSync(files.at('trust.json'), 'utf8')));
      const { message, hint } = await refusedWith(files);
      assert.match(message, said);
      assert.match(hint ?? '', /^Fix the file, or move it away and grant trust again\.$/);
    });
  }

  test('others can write', async () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      using files = await written();
      chmodSync(files.at('trust.json'), mode);
      const { message, hint } = await refusedWith(files);
      assert.match(message, /trust\.json can be written by other users, so nothing in it is trusted\.$/);
      assert.equal(hint, `chmod 600 ${files.at('trust.json')}`);
    }
  });

  test('is a link', async () => {
    using files = await written();
    using folder = tree();
    symlinkSync(files.at('trust.json'), folder.at('trust.json'));
    assert.match(
      (await refusedWith(folder)).message,
      /trust\.json is a link, so nothing in it is trusted\.$/,
    );
  });

  test('belongs to another user', { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
    using files = await written();
    chownSync(files.at('trust.json'), 65_534, 65_534);
    assert.match((await refusedWith(files)).message, /trust\.json belongs to another user/);
  });

  test('is a folder', async () => {
    using files = tree();
    mkdirSync(files.at('trust.json'));
    const book = openTrustBook(files.at('trust.json'));
    assert.deepEqual(answers(book), [false, false, false, false]);
    assert.throws(() => book.list(), /trust\.json is not a regular file/);
  });
});
