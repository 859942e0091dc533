import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, type Ended } from '../../../test/support/command.ts';
import { done, flowFamily, flowText } from '../../../test/support/kernel.ts';
import { knowFamily } from '../../../test/support/know-family.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { FamilySpec, GenerationCapability } from '../../core/family.ts';

leaveHome();

/** Adds flows whose preparation prints two lines, the second when the test allows it. */
function knowFlows(
  more: Partial<FamilySpec<string, unknown>> = {},
): Disposable & { readonly unblock: () => void } {
  const latch = Promise.withResolvers<undefined>();
  const known = knowFamily(
    flowFamily({
      ...more,
      generation: {
        async prepare(body, scope) {
          scope.note(`Generating src/\u001b[2Jindex.ts (1 of 2).`);
          await latch.promise;
          scope.note('Generating src/other.ts (2 of 2).');
          return body;
        },
        ...more.generation,
      },
    }),
  );
  return { unblock: () => latch.resolve(undefined), [Symbol.dispose]: () => known[Symbol.dispose]() };
}

function flows(...names: readonly string[]): Tree {
  return tree({
    '.git/HEAD': '',
    ...Object.fromEntries(names.map((name) => [`mine/${name}/FLOW.md`, flowText(name, `${name} ran`)])),
  });
}

/** Runs a command, and calls a function when a line about a skill appears on stderr. */
async function callAndWatch(
  files: Tree,
  command: readonly string[],
  when: string,
  act: () => void,
): Promise<Ended & { readonly lines: readonly string[] }> {
  let err = '';
  const hear = (text: string): void => {
    err += text;
    if (text.includes(when)) act();
  };
  const args = [...command, '--cwd', files.path, '--skills', files.at('mine')];
  const ended = await call(args, { err: hear });
  return { ...ended, err, lines: err.split('\n') };
}

describe('a run that waits for the preparation of its skill', () => {
  test('says so, and what the preparation says, while it continues', async () => {
    using flow = knowFlows();
    using files = flows('a');
    const { code, out, lines } = await callAndWatch(files, ['run', '/a'], '(1 of 2)', flow.unblock);
    assert.deepEqual([code, out], [0, 'a ran\n']);
    const at = lines.indexOf('Preparing a …');
    assert.deepEqual(lines.slice(at, at + 3), [
      'Preparing a …',
      '  a: Generating src/index.ts (1 of 2).',
      '  a: Generating src/other.ts (2 of 2).',
    ]);
  });

  test('says it once for each version: a later run finds it prepared', async () => {
    using flow = knowFlows();
    using files = flows('a');
    flow.unblock();
    await callAndWatch(files, ['run', '/a'], '', () => undefined);
    const { code, err } = await callAndWatch(files, ['run', '/a'], '', () => undefined);
    assert.equal(code, 0);
    assert.doesNotMatch(err, /Preparing|Generating/);
  });

  test('says nothing with --quiet and with --json', async () => {
    using flow = knowFlows();
    using files = flows('a');
    flow.unblock();
    for (const flag of ['--quiet', '--json']) {
      const { code, err } = await callAndWatch(files, ['run', '/a', flag], '', () => undefined);
      assert.equal(code, 0);
      assert.doesNotMatch(err, /Preparing|Generating/, flag);
    }
  });

  test('reports the earlier output of a preparation that fails', async () => {
    let reported = Promise.withResolvers<null>();
    const prepare: GenerationCapability<string, unknown>['prepare'] = async (_body, scope) => {
      scope.note('Trying.');
      await scope.step('work', () => reported.promise);
      throw new Error('It cannot be done.');
    };
    using _flow = knowFlows({ generation: { prepare } });
    using files = flows('a');
    for (const time of ['the first time', 'once more']) {
      reported = Promise.withResolvers();
      const { code, err } = await callAndWatch(files, ['run', '/a'], 'Trying.', () => reported.resolve(null));
      assert.equal(code, 1, time);
      assert.match(err, /Preparing a …\n {2}a: Trying\.\n/);
    }
  });
});

describe('Ctrl+C', () => {
  const interrupt = (): boolean => process.emit('SIGINT');
  const statuses = async (files: Tree): Promise<readonly string[]> => {
    const runs = await call(['runs', '--all', '--json', '--cwd', files.path]);
    const known = documentOf(runs)['runs'] as readonly { readonly id: string; readonly status: string }[];
    return known.map(({ id, status }) => `${id.slice(0, 2)} ${status}`).toSorted();
  };

  test('ends a run that waits for a preparation, which can be resumed by the next one', async () => {
    using flow = knowFlows({ execute: async () => done('prepared') });
    using files = flows('a');
    const { code } = await callAndWatch(files, ['run', '/a'], '(1 of 2)', interrupt);
    assert.equal(code, 130);
    assert.deepEqual(await statuses(files), ['p_ interrupted', 'r_ cancelled']);
    flow.unblock();
    assert.equal((await callAndWatch(files, ['run', '/a'], '', () => undefined)).out, 'prepared\n');
    assert.deepEqual(await statuses(files), ['p_ done', 'r_ cancelled', 'r_ done']);
  });

  test('ends the wait of a prompt before its run begins', async () => {
    using _flow = knowFlows({ generation: { isEarly: () => true } });
    using files = flows('a');
    const { code, err } = await callAndWatch(files, ['run', 'Is it flow a?'], '(1 of 2)', interrupt);
    assert.equal(code, 130);
    assert.match(err, /^error: The run was cancelled before it began\.$/m);
    assert.deepEqual(await statuses(files), ['p_ interrupted']);
  });
});

test('a run whose time is over while it waits for a preparation leaves that to the next one', async () => {
  using _flow = knowFlows();
  using files = flows('a');
  const { code, err } = await callAndWatch(files, ['run', '/a', '--timeout', '5'], '', () => undefined);
  assert.equal(code, 5, err);
  const known = documentOf(await call(['runs', '--all', '--json', '--cwd', files.path]))['runs'];
  const statuses = (known as readonly { readonly status: string }[]).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), ['failed', 'interrupted']);
});

describe('a prompt', () => {
  test('waits for all that is being prepared, and says for what', async () => {
    using flow = knowFlows({ generation: { isEarly: () => true } });
    using files = flows('a', 'b');
    const { lines } = await callAndWatch(files, ['run', 'Is it flow a?'], '(1 of 2)', flow.unblock);
    const at = lines.indexOf('Preparing 2 skills: a, b …');
    assert.deepEqual(lines.slice(at + 1, at + 5).toSorted(), [
      '  a: Generating src/index.ts (1 of 2).',
      '  a: Generating src/other.ts (2 of 2).',
      '  b: Generating src/index.ts (1 of 2).',
      '  b: Generating src/other.ts (2 of 2).',
    ]);
    assert.equal(lines.filter((line) => line.startsWith('Preparing')).length, 1);
  });

  test('that names its skill begins and awaits no other', async () => {
    using _flow = knowFlows({
      generation: {
        isEarly: () => true,
        prepare: async (body) => (body.startsWith('a') ? body : assert.fail('nobody asked for it')),
      },
    });
    using files = flows('a', 'b');
    const { code, out } = await callAndWatch(files, ['run', '/a'], '', () => undefined);
    assert.deepEqual([code, out], [0, 'a ran\n']);
    const runs = await call(['runs', '--all', '--json', '--cwd', files.path]);
    const known = documentOf(runs)['runs'] as readonly { readonly prepares?: string }[];
    assert.deepEqual(known.map(({ prepares = '' }) => prepares).toSorted(), ['', 'a']);
  });
});
