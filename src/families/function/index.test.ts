import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import { familyContract } from '../../testing/family-contract.ts';
import { functionFamily } from './index.ts';
import { createTestScope } from '../../testing/test-scope.ts';

familyContract(functionFamily, { valid: {} });

function callWith(run: (input: Json) => unknown, input: Json): Promise<Output> {
  const definition = functionFamily.adopt?.(defineSkill({ name: 'made', description: 'Made in code.', run }));
  assert.ok(definition !== undefined);
  return functionFamily.execute(definition, input, createTestScope());
}

test('a skill with a function is adopted and called with its input', async () => {
  const output = await callWith((input) => ({ status: 'done', text: 'ok', value: input }), { n: 1 });
  assert.deepEqual(output, { status: 'done', text: 'ok', value: { n: 1 } });
});

test('what a function returns is its value, unless it is an output', async () => {
  const done = (text: string, value?: unknown) => ({
    status: 'done',
    text,
    ...(value === undefined ? {} : { value }),
  });
  const due = new Date('2026-03-01');
  for (const [returned, output] of [
    ['Hello.', done('Hello.', 'Hello.')],
    [{ total: 18, due }, done(`{"total":18,"due":"${due.toJSON()}"}`, { total: 18, due: due.toJSON() })],
    [[1, 2], done('[1,2]', [1, 2])],
    [0, done('0', 0)],
    [null, done('', null)],
    [undefined, done('')],
    [{ status: 'done' }, done('{"status":"done"}', { status: 'done' })],
    [done('Said.'), done('Said.')],
  ]) {
    assert.deepEqual(await callWith(() => returned, null), output);
  }
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  for (const returned of [circular, { status: 'failed', error: { message: 'No.' } }]) {
    assert.equal((await callWith(() => returned, null)).status, 'failed');
  }
});

test('a function keeps its own this', async () => {
  const skill = defineSkill({
    name: 'named',
    description: 'Answers with its name.',
    run(this: { name: string }) {
      return { status: 'done', text: this.name };
    },
  });
  const output = await functionFamily.execute(functionFamily.adopt?.(skill), null, createTestScope());
  assert.equal(output.text, 'named');
});

test('a skill with instructions is left to another family', () => {
  const skill = defineSkill({ name: 'told', description: 'Told in words.', instructions: 'Do it.' });
  assert.equal(functionFamily.adopt?.(skill), undefined);
});

test('a thrown AgentError becomes a failed output with its code and hint', async () => {
  const output = await callWith(() => {
    throw new AgentError('usage.bad-input', 'No.', { hint: 'Say yes.' });
  }, null);
  assert.deepEqual(output, {
    status: 'failed',
    text: 'No.',
    error: { code: 'usage.bad-input', message: 'No.', hint: 'Say yes.' },
  });
});

test('a rejected promise becomes a failed output', async () => {
  const output = await callWith(() => Promise.reject(new Error('broken')), null);
  assert.equal(output.status, 'failed');
  assert.equal(output.text, 'broken');
});

test('no file holds a function', () => {
  const parsed = functionFamily.parse(bundleOfText('---\nname: x\n---\nText', nowhere));
  assert.equal(parsed.definition, undefined);
  assert.equal(parsed.issues[0]?.code, 'function.no-files');
});

test('permission rules see its label, what it does, and whether they mean an input', () => {
  const skill = defineSkill<{ path: string }>({
    name: 'ruled',
    description: 'Is ruled.',
    permission: 'Ruled',
    runsProcesses: true,
    input: () => z.object({ path: z.string().default('usual') }),
    matches: (spec, { path }, workspace) => `${workspace}/${path}` === spec,
    mayTouch: (spec, { path }, workspace) => spec.startsWith(`${workspace}/${path}`),
    run: () => ({ status: 'done', text: '' }),
  });
  const permission = functionFamily.permission?.describe?.(functionFamily.adopt?.(skill));
  assert.deepEqual(
    { ...permission, matches: undefined, mayTouch: undefined },
    { label: 'Ruled', readOnly: false, runsProcesses: true, matches: undefined, mayTouch: undefined },
  );
  assert.equal(permission?.matches?.('/w/a', { path: 'a' }, '/w'), true);
  assert.equal(permission?.matches?.('/w/usual', {}, '/w'), true);
  assert.equal(permission?.matches?.('/w/a', { path: 'b' }, '/w'), false);
  assert.equal(permission?.matches?.('/w/a', { path: 1 }, '/w'), false);
  assert.equal(permission?.mayTouch?.('/w/usual/b', {}, '/w'), true);
  assert.equal(permission?.mayTouch?.('/w/a', { path: 1 }, '/w'), false);
});

test('a schema that a function makes is made once, and not before it is needed', () => {
  let times = 0;
  const skill = defineSkill({
    name: 'costly',
    description: 'Has a schema.',
    input: () => {
      times += 1;
      return z.object({ a: z.number() });
    },
    matches: () => true,
    run: () => ({ status: 'done', text: '' }),
  });
  const definition = functionFamily.adopt?.(skill);
  assert.equal(times, 0);
  functionFamily.input?.accept?.(definition, { a: 1 });
  functionFamily.permission?.describe?.(definition)?.matches?.('x', { a: 1 }, '/w');
  assert.equal(times, 1);
});

test('permission rules see the parts of an input that it takes, and none of one that it does not', () => {
  const skill = defineSkill<{ list: string }>({
    name: 'parted',
    description: 'Comes in parts.',
    input: () => z.object({ list: z.string().default('a b') }),
    parts: ({ list }, workspace) => ({
      parts: list.split(' ').map((one) => ({ list: workspace + one })),
      areAll: true,
    }),
    run: () => ({ status: 'done', text: '' }),
  });
  const permission = functionFamily.permission?.describe?.(functionFamily.adopt?.(skill));
  assert.deepEqual(permission?.parts?.({}, '/'), { parts: [{ list: '/a' }, { list: '/b' }], areAll: true });
  assert.deepEqual(permission?.parts?.({ list: 1 }, '/'), { parts: [], areAll: false });
});
