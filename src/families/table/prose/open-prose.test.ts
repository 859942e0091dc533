import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generate } from '../../../../test/support/generation-stage.ts';
import { tree, type Tree } from '../../../../test/support/tree.ts';
import { writtenTable } from '../../../../test/support/written-table.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Output } from '../../../core/run.ts';
import type { Scope } from '../../../core/scope.ts';
import { planGeneration } from '../../../generation/plan-generation.ts';
import { writeFailure } from '../../../generation/status.ts';
import { createTestScope } from '../../../testing/test-scope.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { generateProse, inspect, isDue, prepare } from './generate-prose.ts';
import { openProse } from './open-prose.ts';
import { proseRecipe } from './prose-items.ts';

const fields = { id: 'Primary Key', name: 'Label: Name; Validator: No shouting.; Presenter: In capitals.' };
const items = writtenTable(fields, '## Business Rules\n\n- No jokes.\n');
const plain = writtenTable({ id: 'Primary Key', name: '' });
const failure = { code: 'skill.failed', message: 'No good.\nAt all.' } as const;

interface Stage extends Disposable {
  readonly files: Tree;
  readonly dir: string;
  readonly scope: Scope;
  readonly calls: JsonObject[];
  readonly notes: string[];
}

function stage(
  results: (name: string, inputs: readonly Json[]) => Json = () => null,
  output?: Output,
): Stage {
  const files = tree({ 'items/tskill.md': '' });
  const dir = files.at('items');
  const [calls, notes]: [JsonObject[], string[]] = [[], []];
  const scope = createTestScope({
    skill: { name: 'items', dir, file: files.at('items/tskill.md') },
    call: (name, input) => {
      calls.push({ name, ...(input as JsonObject) });
      return output ?? { status: 'done', text: '1 file generated.' };
    },
    note: (message) => notes.push(message),
    runCode: ({ name, module, input }) => {
      calls.push({ name, module });
      return Promise.resolve({ value: results(name, input as readonly Json[]), stdout: '', stderr: '' });
    },
  });
  return { files, dir, scope, calls, notes, [Symbol.dispose]: () => files[Symbol.dispose]() };
}

const make = (definition: TableDefinition, dir: string): Promise<unknown> =>
  generate(dir, { recipe: proseRecipe(definition)! });
const open = (definition: TableDefinition, scope: Scope): ReturnType<typeof openProse> =>
  openProse(definition, scope);
const oneInput = [{ value: 'x', record: {} }];

describe('code for words', () => {
  test('is due until it is made, and is looked at by doctors', async () => {
    using it = stage();
    assert.equal(isDue(items, it.dir), true);
    assert.equal(inspect(items, it.dir)?.status, 'due');
    assert.equal(
      inspect(items, it.dir)?.issues[0]?.message,
      'src/rules.ts needs to be generated from tskill.md.',
    );
    await make(items, it.dir);
    assert.equal(isDue(items, it.dir), false);
    const { status, files } = inspect(items, it.dir) ?? {};
    assert.deepEqual(
      [status, files?.map(({ path, status: of }) => [path, of])],
      ['current', [['src/rules.ts', 'current']]],
    );
    it.files.write('items/src/rules.ts', 'by hand');
    assert.deepEqual([inspect(items, it.dir)?.status, isDue(items, it.dir)], ['drifted', false]);
  });

  test('is never due, looked at or run where there are no words, or no folder', async () => {
    using it = stage();
    assert.deepEqual(
      [isDue(plain, it.dir), inspect(plain, it.dir), isDue(items, '')],
      [false, undefined, false],
    );
    assert.equal(await prepare(plain, it.scope), plain);
    assert.equal((await generateProse(plain, it.scope)).status, 'done');
    const rules = await open(plain, it.scope);
    assert.deepEqual([rules.notEnforced, rules.has('validate', 'name'), it.calls], [[], false, []]);
  });

  test('is asked of the generator with all that it has to do', async () => {
    using it = stage();
    assert.equal(await prepare(items, it.scope), items);
    const { contract, specs } = proseRecipe(items) ?? {};
    const order = { directory: it.dir, contract, specs, entry: 'rules.ts' };
    const exports = ['validate_name', 'present_name', 'rule_1'];
    assert.deepEqual(it.calls, [{ name: 'mirror-code-generator', ...order, exports }]);
    await generateProse(items, it.scope, { force: true });
    assert.equal(it.calls[1]?.['force'], true);
  });

  test('that cannot be made is reported, and not asked for again with the same words', async () => {
    using it = stage(undefined, { status: 'failed', text: 'No.', error: failure });
    const prepared = await prepare(items, it.scope);
    assert.deepEqual(prepared.proseFailure, failure);
    assert.match(it.notes.join(), /^No code could be generated for its prose rules: No good\./);
    const { notEnforced } = await open(prepared, it.scope);
    assert.deepEqual(notEnforced, [
      `The Validator of Name is not enforced (${it.scope.skill.file}:25): no code could be generated for it: No good.`,
      `The Presenter of Name is not enforced (${it.scope.skill.file}:29): no code could be generated for it: No good.`,
      `The rule "No jokes." is not enforced (${it.scope.skill.file}:33): no code could be generated for it: No good.`,
    ]);
    const { inputs = '' } = planGeneration(it.dir, proseRecipe(items)!) ?? {};
    writeFailure(it.dir, { inputs, at: 0, runId: 'r', error: failure });
    const { status, issues = [] } = inspect(items, it.dir) ?? {};
    assert.deepEqual([isDue(items, it.dir), status], [false, 'failed']);
    const failed = issues.find(({ code }) => code === 'generation.failed');
    assert.equal(failed?.hint, 'Fix its prose rules, or try again with `skilled build items`.');
    assert.equal(failed.file, it.files.at('items/tskill.md'));
    assert.equal(await prepare(items, it.scope), items);
    assert.deepEqual((await open(items, it.scope)).notEnforced, notEnforced);
  });

  test('runs for what it was made of, and other words are reported as not enforced', async () => {
    using it = stage((_name, inputs) => inputs.map(() => null));
    await make(items, it.dir);
    const rules = await open(items, it.scope);
    assert.deepEqual(rules.notEnforced, []);
    assert.deepEqual(await rules.run('validate', 'name', oneInput), [null]);
    assert.deepEqual(it.calls, [{ name: 'validate_name', module: it.files.at('items/src/rules.ts') }]);

    const other = writtenTable(
      { ...fields, name: fields.name.replace('capitals', 'italics') },
      '## Business Rules\n\n- No jokes.\n',
    );
    const changed = await open(other, it.scope);
    assert.deepEqual(
      [changed.has('validate', 'name'), changed.has('present', 'name'), changed.has('rule', '1')],
      [true, false, true],
    );
    assert.match(
      changed.notEnforced.join(),
      /^The Presenter of Name is not enforced .*: no code has been generated for it yet\.$/,
    );
    assert.deepEqual(await changed.run('present', 'name', oneInput), [null]);
  });

  test('that a person wrote runs for all words', async () => {
    using it = stage();
    it.files.write('items/src/rules.ts', 'export {};');
    const rules = await open(items, it.scope);
    assert.deepEqual([rules.notEnforced, rules.has('rule', '1')], [[], true]);
  });
});

describe('what code gives', () => {
  const wrong: readonly (readonly ['validate' | 'present' | 'rule', Json])[] = [
    ['validate', null],
    ['validate', []],
    ['validate', [null, null]],
    ['validate', [true]],
    ['validate', ['']],
    ['validate', [{ error: 'x' }]],
    ['rule', ['ok', 'ok']],
    ['rule', 'fine'],
  ];
  for (const [kind, value] of wrong) {
    test(`${JSON.stringify(value)} of ${kind} refuses`, async () => {
      using it = stage(() => value);
      await make(items, it.dir);
      const rules = await open(items, it.scope);
      await assert.rejects(rules.run(kind, kind === 'rule' ? '1' : 'name', oneInput), {
        code: 'skill.failed',
        message: /^The code of "items" for .*tskill\.md:\d+ failed: /,
      });
    });
  }

  test('to be shown falls back to the plain value, with a warning', async () => {
    for (const value of [[5], null, ['a', 'b']]) {
      using it = stage(() => value);
      await make(items, it.dir);
      assert.deepEqual(await (await open(items, it.scope)).run('present', 'name', oneInput), [null]);
      assert.match(
        it.notes.join(),
        /present_name (?:returned|did not return) .* The values are shown as they are stored\.$/,
      );
    }
  });

  test('is asked for some thousand cases at a time', async () => {
    using it = stage((_name, inputs) => inputs.map(() => 'no'));
    await make(items, it.dir);
    const many = Array.from({ length: 4001 }, () => ({ value: 'x', record: {} }));
    const results = await (await open(items, it.scope)).run('validate', 'name', many);
    assert.deepEqual([results.length, new Set(results), it.calls.length], [4001, new Set(['no']), 3]);
  });

  test('is left to others where not the code is at fault', async () => {
    using it = stage(() => {
      throw new AgentError('policy.denied', 'No.');
    });
    await make(items, it.dir);
    await assert.rejects((await open(items, it.scope)).run('present', 'name', oneInput), {
      code: 'policy.denied',
    });
  });
});
