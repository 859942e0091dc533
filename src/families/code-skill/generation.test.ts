import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generate } from '../../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { planGeneration } from '../../generation/plan-generation.ts';
import { readFailure, writeFailure } from '../../generation/status.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { build, buildContract, inspect, isDue, prepare, recipeFor } from './generation.ts';
import { parse, type CodeSkillDefinition } from './parse.ts';

const slug: CodeSkillDefinition = { name: 'slug', description: 'Makes slugs.', inputFormat: 'A title.' };
const failed: Output = {
  status: 'failed',
  text: 'No.',
  error: { code: 'skill.failed', message: 'No good.' },
};
const generated: Output = { status: 'done', text: '1 file generated.' };

interface Stage {
  readonly scope: Scope;
  readonly calls: Json[];
  readonly notes: string[];
}

function stage(files: Tree, output: Output = generated): Stage {
  const calls: Json[] = [];
  const notes: string[] = [];
  const scope = createTestScope({
    skill: { name: 'slug', dir: files.at('slug') },
    call: (name, input) => {
      calls.push({ name, ...(input as JsonObject) });
      return output;
    },
    note: (message) => notes.push(message),
  });
  return { scope, calls, notes };
}

const spec = '# index\n\nExports action, which makes a slug.\n';
const spelled = (more: Readonly<Record<string, string>> = {}): Tree =>
  tree({ 'slug/specs/index.md': spec, ...more });

function failBefore(files: Tree, definition = slug): void {
  const { inputs = '' } = planGeneration(files.at('slug'), recipeFor(definition)) ?? {};
  const error = { code: 'skill.failed', message: 'No good.' } as const;
  writeFailure(files.at('slug'), { inputs, at: 0, runId: 'r', error });
}

describe('code that is to be made of specs', () => {
  test('is due, and the generator is called with the contract of the skill', async () => {
    using files = spelled();
    const { scope, calls, notes } = stage(files);
    assert.equal(isDue(slug, files.at('slug')), true);
    assert.deepEqual(await prepare(slug, scope), slug);
    const contract = '## Description\n\nMakes slugs.\n\n## Input Format\n\nA title.\n';
    const asked = { directory: files.at('slug'), contract, exports: ['action'] };
    assert.deepEqual(calls, [{ name: 'mirror-code-generator', ...asked }]);
    assert.deepEqual(notes, []);
  });

  test('that cannot be made leaves its failure to anyone who runs the skill', async () => {
    using files = spelled();
    const { scope, notes } = stage(files, failed);
    const prepared = await prepare(slug, scope);
    assert.equal(prepared.failure?.message, 'No good.');
    assert.deepEqual(notes, ['Its code could not be generated: No good.']);
  });

  test('is not tried again by itself where it failed, until something changes', async () => {
    using files = spelled();
    failBefore(files);
    const { scope, calls } = stage(files);
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.equal((await prepare(slug, scope)).failure?.message, 'No good.');
    assert.deepEqual(calls, []);
    assert.equal(isDue({ ...slug, description: 'Other.' }, files.at('slug')), true);
    files.write('slug/specs/index.md', `${spec}\nIn lower case.\n`);
    assert.equal(isDue(slug, files.at('slug')), true);
  });

  test('is left alone where a person wrote it', async () => {
    using files = spelled({ 'slug/src/index.ts': 'export const action = (): string => "mine";\n' });
    const { scope, calls } = stage(files);
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.deepEqual((await prepare(slug, scope)).drifted, ['src/index.ts']);
    assert.deepEqual(calls, []);
  });

  test('is not due where its specs are wrong', () => {
    using files = spelled({ 'slug/specs/index.ts.md': spec });
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.equal(inspect(slug, files.at('slug'))?.status, 'failed');
  });
});

describe('code that is written by hand', () => {
  const written = { 'slug/src/index.mjs': 'export const action = () => 1;\n' };

  test('is not prepared', async () => {
    using files = tree(written);
    const { scope, calls, notes } = stage(files);
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.deepEqual(await prepare(slug, scope), slug);
    assert.deepEqual([calls, notes], [[], []]);
  });

  test('is shown as it is', () => {
    using files = tree(written);
    const { status, files: shown, issues } = inspect(slug, files.at('slug')) ?? {};
    assert.deepEqual([status, issues], ['own', []]);
    assert.match(shown?.[0]?.digest ?? '', /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual({ ...shown?.[0], digest: '' }, { path: 'src/index.mjs', status: 'own', digest: '' });
  });

  test('is missing if there is none, with the next step', () => {
    using files = tree({ 'slug/cskill.md': '' });
    const { status, files: shown, issues } = inspect(slug, files.at('slug')) ?? {};
    assert.deepEqual([status, shown], ['missing', []]);
    assert.deepEqual([issues?.[0]?.level, issues?.[0]?.code], ['error', 'code.missing']);
    assert.match(issues?.[0]?.message ?? '', new RegExp(files.at('slug')));
    assert.match(issues?.[0]?.hint ?? '', /specs\/index\.md/);
  });

  test('is nothing to build', async () => {
    using files = tree(written);
    const { scope, calls } = stage(files);
    const output = await build(slug, {}, scope);
    assert.equal(output.status, 'done');
    assert.match(output.text, /^slug: nothing to generate/);
    assert.deepEqual(calls, []);
  });
});

describe('a build that a person asks for', () => {
  test('says for which skill it was', async () => {
    using files = spelled();
    assert.deepEqual(await build(slug, {}, stage(files).scope), {
      ...generated,
      text: 'slug: 1 file generated.',
    });
    assert.deepEqual(await build(slug, null, stage(files, failed).scope), failed);
  });

  test('tries again what failed, and with force everything', async () => {
    using files = spelled();
    failBefore(files);
    const { scope, calls } = stage(files);
    await build(slug, {}, scope);
    assert.equal(readFailure(files.at('slug')), undefined);
    await build(slug, { force: true }, scope);
    assert.deepEqual(
      calls.map((call) => (call as JsonObject)['force']),
      [undefined, true],
    );
  });
});

describe('code that was made', () => {
  const recipe = recipeFor(slug);

  test('is up to date until somebody edits it', async () => {
    using files = spelled();
    await generate(files.at('slug'), { recipe });
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.equal(inspect(slug, files.at('slug'))?.status, 'current');
    assert.deepEqual(await prepare(slug, stage(files).scope), slug);
    files.write('slug/src/index.ts', '// mine\n');
    assert.equal(isDue(slug, files.at('slug')), false);
    assert.equal(inspect(slug, files.at('slug'))?.status, 'drifted');
    assert.deepEqual((await prepare(slug, stage(files).scope)).drifted, ['src/index.ts']);
  });

  test('without a module to begin with leaves nothing to run', async () => {
    using files = tree({ 'slug/specs/lib/a.md': spec });
    await generate(files.at('slug'), { recipe });
    const { status, issues } = inspect(slug, files.at('slug')) ?? {};
    assert.deepEqual([status, issues?.map(({ code }) => code)], ['missing', ['code.missing']]);
  });
});

function contractOf(text: string): string {
  const { definition } = parse(bundleOfText(text, nowhere));
  assert.ok(definition !== undefined);
  return buildContract(definition);
}

describe('the contract of a code skill', () => {
  test('has the sections that its code must keep to, whole and in their order', () => {
    const text = [
      '# Slugs\n\n## Examples\n\n`A b` gives `a-b`.\n',
      '## Description\n\nMakes slugs.\n\nOnly of titles.\n\n## Help\n\nAsk.\n',
      '## Constraints\n\n- No dots.\n\n## Output Format\n\nThe slug.\n',
      '## Input Format\n\nA title.\n\n```json\n{ "type": "string" }\n```\n',
    ].join('\n');
    assert.equal(
      contractOf(text),
      [
        '## Description\n\nMakes slugs.\n\nOnly of titles.\n',
        '## Input Format\n\nA title.\n\n```json\n{ "type": "string" }\n```\n',
        '## Output Format\n\nThe slug.\n',
        '## Constraints\n\n- No dots.\n',
        '## Examples\n\n`A b` gives `a-b`.\n',
      ].join('\n'),
    );
  });

  test('states the schemas of the frontmatter', () => {
    const text =
      '---\nname: a\ndescription: Does a.\ninput: {type: string}\noutput: {type: number}\n---\n\n## Output Format\n\nA count.\n';
    assert.equal(
      contractOf(text),
      [
        '## Description\n\nDoes a.\n',
        '## Input Format\n\n```json\n{"type":"string"}\n```\n',
        '## Output Format\n\nA count.\n\n```json\n{"type":"number"}\n```\n',
      ].join('\n'),
    );
  });

  test('does not change with what is not a part of it', () => {
    const [one, other] = ['timeout: 5', 'tags: [x]\nwhen_to_use: often'].map((head) =>
      contractOf(`---\ndescription: d\n${head}\ninput: {type: string}\n---\n\n## Help\n\n${head}\n`),
    );
    assert.equal(one, other);
  });
});
