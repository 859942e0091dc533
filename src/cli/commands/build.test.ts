import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  workspace,
  type Ended,
} from '../../../test/support/command.ts';
import { done, flowFamily, flowText } from '../../../test/support/kernel.ts';
import { knowFamily } from '../../../test/support/know-family.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { FamilySpec, Made } from '../../core/family.ts';

leaveHome();

const states = ['failed', 'drifted', 'due', 'missing', 'current', 'own'] as const;

/** Flows are made of something: the body says how one stands, and what becomes of the attempt to build it. */
function makesFlows(more: Partial<FamilySpec<string, unknown>> = {}): Disposable {
  return knowFamily(
    flowFamily({
      template: (name) => ({ 'FLOW.md': flowText(name, 'due') }),
      inspect: (body): Made => {
        const status = states.find((state) => body.startsWith(state)) ?? 'own';
        return { status, files: [], issues: [] };
      },
      async build(body, input, scope) {
        scope.note(`Generating src/index.ts (1 of 1) ${JSON.stringify(input)}.`);
        if (body.endsWith('asks')) await scope.call('bash', { command: 'true' });
        if (!body.endsWith('fails')) return done('1 file generated.', { generated: ['src/index.ts'] });
        const message = 'src/index.ts:3 is wrong.';
        return {
          status: 'failed',
          text: message,
          error: { code: 'skill.failed', message, hint: 'Mend it.' },
        };
      },
      ...more,
    }),
  );
}

function flows(bodies: Readonly<Record<string, string>>): Tree {
  const files = Object.entries(bodies).map(
    ([name, body]) => [`mine/${name}/FLOW.md`, flowText(name, body)] as const,
  );
  return tree({ '.git/HEAD': '', ...Object.fromEntries(files) });
}

function build(files: Tree, ...words: readonly string[]): Promise<Ended> {
  return call(['build', ...words, '--cwd', files.path, '--skills', files.at('mine')]);
}

describe('build', () => {
  test('without a name builds what is made of something, one line each', async () => {
    using _family = makesFlows();
    using files = flows({ b: 'current', a: 'due', c: 'own', d: 'missing', e: 'drifted' });
    const { code, out, err } = await build(files);
    assert.equal(code, 0);
    assert.deepEqual(out, ['a', 'b', 'e'].map((name) => `${name}: 1 file generated.\n`).join(''));
    assert.match(err, /^Runs are kept in /);
    assert.match(err, /^a: Generating src\/index\.ts \(1 of 1\) \{\}\.$/m);
    assert.equal((await build(files, '--quiet')).err, '');
  });

  test('builds the named ones, also by force', async () => {
    using _family = makesFlows();
    using files = flows({ a: 'due', c: 'own' });
    const { code, out, err } = await build(files, 'c', '/c', '--force');
    assert.deepEqual([code, out], [0, 'c: 1 file generated.\n']);
    assert.match(err, /^c: Generating .*\{"force":true\}\.$/m);
  });

  test('goes on after a failure, and ends with its code', async () => {
    using _family = makesFlows();
    using files = flows({ a: 'due fails', b: 'due' });
    const { code, out, err } = await build(files);
    assert.deepEqual([code, out], [1, 'a: failed: src/index.ts:3 is wrong.\nb: 1 file generated.\n']);
    assert.match(err, /^ {2}Mend it\.\n {2}What happened: skilled trace r_\w{8} --cwd \S+$/m);
    const trace = await call(['trace', /trace (r_\w+)/.exec(err)?.[1] ?? '', '--cwd', files.path]);
    assert.match(trace.out, /^✗ a \(build\) /m);
  });

  test('as JSON is one document with what each run came to', async () => {
    using _family = makesFlows();
    using files = flows({ a: 'due fails', b: 'due' });
    const ended = await build(files, '--json', '--quiet');
    assert.deepEqual([ended.code, ended.err], [1, '']);
    const { ok, results } = documentOf(ended) as { ok: boolean; results: Record<string, unknown>[] };
    assert.equal(ok, false);
    assert.deepEqual(
      results.map(({ skill, status, value, error }) => [
        skill,
        status,
        value,
        (error as { hint?: string } | undefined)?.hint,
      ]),
      [
        ['a', 'failed', undefined, 'Mend it.'],
        ['b', 'done', { generated: ['src/index.ts'] }, undefined],
      ],
    );
    for (const { runId } of results) assert.match(String(runId), /^r_/);
  });

  test('what needs approval is asked at a terminal, and waits elsewhere', async () => {
    using _family = makesFlows();
    using files = flows({ a: 'due asks' });
    const where = ['--cwd', files.path, '--skills', files.at('mine')];
    const waits = await call(['build', ...where]);
    assert.deepEqual([waits.code, waits.out], [4, 'a: waiting\n']);
    assert.match(waits.err, /^ {2}Allow it once: skilled approve r_/m);
    const prompts: string[] = [];
    const ask = async (prompt: string): Promise<string> => {
      prompts.push(prompt);
      return 'y';
    };
    const asked = await call(['build', ...where], { ask });
    assert.deepEqual([asked.code, asked.out, prompts.length], [0, 'a: 1 file generated.\n', 1]);
    assert.equal((await call(['build', '--yes', ...where])).code, 0);
  });

  test('prepares no skill early: whoever builds one does not want all of them', async () => {
    using _family = makesFlows({
      preparesEarly: () => true,
      prepare: () => assert.fail('nothing is prepared'),
    });
    using files = flows({ a: 'due', b: 'due' });
    assert.equal((await build(files, 'a')).code, 0);
    const runs = await call(['runs', '--all', '--json', '--cwd', files.path]);
    assert.equal((documentOf(runs)['runs'] as unknown[]).length, 1);
  });
});

describe('nothing is built', () => {
  test('where nothing is made of anything, and the next step is said', async () => {
    using _family = makesFlows();
    using files = workspace();
    const { code, out, err } = await call(['build', '--cwd', files.path]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^There is nothing to build: .*\n {2}Write one: skilled new [a-z-]+ <name> --cwd /);
    const document = documentOf(await call(['build', '--json', '--cwd', files.path]));
    assert.deepEqual(document, { ok: true, results: [] });
    assert.equal(existsSync(files.at('.skilled')), false);
  });

  test('where one of the names leads nowhere, or to a skill that is not made of anything', async () => {
    using _family = makesFlows();
    using files = flows({ alpha: 'due' });
    const unknown = await build(files, 'alpha', 'alhpa', '--json');
    assert.deepEqual([unknown.code, errorIn(unknown).code], [3, 'skill.not-found']);
    assert.match(errorIn(unknown).hint ?? '', /alpha/);
    const plain = await build(files, 'glob', '--json');
    assert.deepEqual([plain.code, errorIn(plain).code], [2, 'usage.bad-input']);
    assert.equal(errorIn(plain).message, '"glob" (Function) is not built of anything.');
    assert.equal(existsSync(files.at('.skilled')), false);
  });
});
