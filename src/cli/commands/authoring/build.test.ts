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
} from '../../../../test/support/command.ts';
import { done, flowFamily, flowText } from '../../../../test/support/kernel.ts';
import { knowFamily } from '../../../../test/support/know-family.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import type { GenerationCapability, GeneratedCode } from '../../../core/family.ts';
import { openModelServer } from '../../../testing/model-server/server.ts';

leaveHome();

const states = ['failed', 'drifted', 'due', 'missing', 'current', 'own'] as const;

/**
 * Creates a family of flows with generated code. The body gives the state of a flow and the outcome of building
 * it.
 */
function makesFlows(more: GenerationCapability<string, unknown> = {}): Disposable {
  return knowFamily(
    flowFamily({
      authoring: { template: (name) => ({ 'FLOW.md': flowText(name, 'due') }) },
      generation: {
        ...more,
        inspect: (body): GeneratedCode => {
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
      },
    }),
  );
}

function flows(bodies: Readonly<Record<string, string>>): Tree {
  const files = Object.entries(bodies).map(
    ([name, body]) => [`mine/${name}/FLOW.md`, flowText(name, body)] as const,
  );
  return tree({ '.git/HEAD': '', ...Object.fromEntries(files) });
}

function build(files: Tree, ...args: readonly string[]): Promise<Ended> {
  return call(['build', ...args, '--cwd', files.path, '--skills', files.at('mine')]);
}

describe('build', () => {
  test('without a name builds all generated skills, one line each', async () => {
    using _family = makesFlows();
    using files = flows({ b: 'current', a: 'due', c: 'own', d: 'missing', e: 'drifted' });
    const { code, out, err } = await build(files);
    assert.equal(code, 0);
    assert.deepEqual(out, ['a', 'b', 'e'].map((name) => `${name}: 1 file generated.\n`).join(''));
    assert.match(err, /^Runs are stored in /);
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

  test('continues after a failure, and ends with its code', async () => {
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

  test('prepares no skill early, because a build concerns only the named skills', async () => {
    using _family = makesFlows({
      isEarly: () => true,
      prepare: () => assert.fail('nothing is prepared'),
    });
    using files = flows({ a: 'due', b: 'due' });
    assert.equal((await build(files, 'a')).code, 0);
    const runs = await call(['runs', '--all', '--json', '--cwd', files.path]);
    assert.equal((documentOf(runs)['runs'] as unknown[]).length, 1);
  });
});

describe('nothing is built', () => {
  test('without generated code, prints the next step', async () => {
    using _family = makesFlows();
    using files = workspace();
    const { code, out, err } = await call(['build', '--cwd', files.path]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^Nothing to build: .*\n {2}Create one: skilled new [a-z-]+ <name> --cwd /);
    const document = documentOf(await call(['build', '--json', '--cwd', files.path]));
    assert.deepEqual(document, { ok: true, results: [] });
    assert.equal(existsSync(files.at('.skilled')), false);
  });

  test('where one of the names leads nowhere, or to a skill that has nothing to generate', async () => {
    using _family = makesFlows();
    using files = flows({ alpha: 'due' });
    const unknown = await build(files, 'alpha', 'alhpa', '--json');
    assert.deepEqual([unknown.code, errorIn(unknown).code], [3, 'skill.not-found']);
    assert.match(errorIn(unknown).hint ?? '', /alpha/);
    const plain = await build(files, 'glob', '--json');
    assert.deepEqual([plain.code, errorIn(plain).code], [2, 'usage.bad-input']);
    assert.equal(errorIn(plain).message, '"glob" (Function) has nothing to build.');
    assert.equal(existsSync(files.at('.skilled')), false);
  });
});

leaveHome();

const descriptor = `# Doubler

## Description

Doubles a number.

## Input Format

\`\`\`json
{ "type": "object", "properties": { "number": { "type": "number" } }, "required": ["number"] }
\`\`\`
`;
const spec = 'mine/doubler/specs/index.mjs.md';
const fenced = (code: string): string => `\`\`\`js\n${code}\n\`\`\`\n`;
const good = fenced('export const action = ({ number }) => number * 2;');
const broken = fenced('export const action = ({ number }) => number * ;');
const better = fenced('export const action = ({ number }) => number + number;');

interface Stage extends AsyncDisposable {
  readonly files: Tree;
  readonly asked: () => number;
  /** Runs a command with the stage's model. */
  with(...args: readonly string[]): Promise<Ended>;
  /** Runs a command without a model. */
  look(...args: readonly string[]): Promise<Ended>;
}

async function stage(...turns: readonly string[]): Promise<Stage> {
  const server = await openModelServer(
    (_request, turn) => turns[turn - 1] ?? 'There is nothing more to say.',
  );
  const files = tree({ '.git/HEAD': '', 'mine/doubler/cskill.md': descriptor, [spec]: 'Doubles.\n' });
  const where = ['--cwd', files.path, '--skills', files.at('mine')];
  return {
    files,
    asked: () => server.requests.length,
    with: (...args) => call([...args, '--base-url', `${server.url}/v1`, '--model', 'm', ...where]),
    look: (...args) => call([...args, ...where]),
    async [Symbol.asyncDispose]() {
      files[Symbol.dispose]();
      await server.close();
    },
  };
}

/** Returns the skill's line in `skilled list`. */
async function listed({ look }: Stage): Promise<string> {
  return (await look('list')).out.split('\n').find((line) => line.startsWith('doubler ')) ?? '';
}

describe('code of specs on the command line', () => {
  test('is built when somebody asks, and then runs without a model', async () => {
    await using it = await stage(good);
    assert.match(await listed(it), / to be generated /);
    assert.match((await it.look('doctor')).out, /^ok {4}code: 1 to generate$/m);
    const built = await it.with('build');
    assert.deepEqual([built.code, built.out], [0, 'doubler: 1 file generated.\n'], built.err);
    assert.match(built.err, /^doubler: Generating src\/index\.mjs \(1 of 1\)\.$/m);
    assert.match(await listed(it), / ready /);
    assert.equal((await it.look('run', '/doubler', '--number', '21')).out, '42\n');
    assert.equal((await it.look('build')).out, 'doubler: 1 file up to date.\n');
    assert.equal(it.asked(), 1);
  });

  test('is generated by the first call, which says so', async () => {
    await using it = await stage(good);
    const { code, out, err } = await it.with('run', '/doubler', '--number', '4');
    assert.deepEqual([code, out], [0, '8\n'], err);
    assert.match(err, /^Preparing doubler …\n {2}doubler: Generating src\/index\.mjs \(1 of 1\)\.$/m);
    const again = await it.with('run', '/doubler', '--number', '5');
    assert.equal(again.out, '10\n');
    assert.doesNotMatch(again.err, /Preparing/);
    assert.equal(it.asked(), 1);
  });

  test('that could not be generated is reported everywhere, while the old code runs', async () => {
    await using it = await stage(good, broken, broken, broken, better);
    await it.with('build');
    it.files.write(spec, 'Doubles in another way.\n');
    const failed = await it.with('build', 'doubler');
    assert.equal(failed.code, 1);
    assert.match(failed.out, /^doubler: failed: src\/index\.mjs:1: /);
    assert.match(await listed(it), / generation failed /);
    assert.match((await it.look('show', 'doubler')).out, /^Code: generation failed$/m);
    const doctor = await it.look('doctor');
    assert.equal(doctor.code, 3);
    assert.match(
      doctor.out,
      /^FAIL {2}code: 1 failed\n {6}doubler: .*specs: error: Code generation failed on .*: src\/index\.mjs:1: .*skilled build doubler /m,
    );
    const older = await it.with('run', '/doubler', '--number', '6');
    assert.equal(older.out, '12\n');
    assert.match(older.err, /^warning: .*"doubler".*: src\/index\.mjs:1/m);
    const quiet = await it.with('run', '/doubler', '--number', '6', '--quiet');
    assert.deepEqual([quiet.out, quiet.err], ['12\n', '']);
    assert.equal(it.asked(), 4, 'it is not tried again by itself');
    assert.equal((await it.with('build')).out, 'doubler: 1 file generated.\n');
    assert.match(await listed(it), / ready /);
  });

  test('is not paid for beyond a limit, and then stays to be generated', async () => {
    await using it = await stage(broken, good, good);
    const limited = await it.with('build', '--max-tokens', '1');
    assert.equal(limited.code, 5, limited.err);
    assert.equal(it.asked(), 1);
    assert.match(await listed(it), / to be generated /);
    assert.equal((await it.with('build')).out, 'doubler: 1 file generated.\n');
  });

  test('that somebody edited is left alone without --force', async () => {
    await using it = await stage(good, better);
    await it.with('build');
    it.files.write('mine/doubler/src/index.mjs', 'export const action = ({ number }) => number * 3;\n');
    assert.match(await listed(it), / edited by hand /);
    assert.match((await it.look('doctor')).out, /^warn {2}code: 1 edited by hand$/m);
    assert.match((await it.with('build')).out, /^doubler: .*by hand/);
    assert.equal((await it.look('run', '/doubler', '--number', '2')).out, '6\n');
    assert.equal((await it.with('build', '--force')).out, 'doubler: 1 file generated.\n');
    assert.equal((await it.look('run', '/doubler', '--number', '2')).out, '4\n');
  });
});
