import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  runProgram,
  said,
  settled,
  valueOf,
  type Made,
  type Run,
} from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import { AgentError } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/output.ts';

/** What a caller gets from a child, and that it goes on. */
async function callOf(
  child: Made,
  input: Json = null,
): Promise<{ readonly output: Output; readonly kept: Output | undefined }> {
  let output: Output | undefined;
  await using agent = agentWith({
    parent: async (_input, scope) => {
      output = await scope.call('child', input);
      return done(`went on after ${said(output).slice(0, 20)}`);
    },
    child,
  });
  const run = agent.run({ skill: 'parent' });
  const { text } = await settled(run.result);
  assert.ok(output !== undefined);
  assert.equal(text, `went on after ${said(output).slice(0, 20)}`);
  const kept = ofType(await agent.runs.events(run.id), 'frame.ended').find(
    ({ output: { text: own } }) => own !== text,
  );
  return { output, kept: kept?.output };
}

/** Makes something that is no output into one for the type checker. */
function odd(value: unknown): Run {
  return () => value as Output;
}

describe('a caller continues after a child that', () => {
  test('is done', async () => {
    const { output, kept } = await callOf(() => done('well', { n: 1 }));
    assert.deepEqual(output, { status: 'done', text: 'well', value: { n: 1 } });
    assert.deepEqual(kept, output);
  });

  test('failed with data', async () => {
    const failed = {
      status: 'failed',
      text: 'no',
      error: { code: 'skill.failed', message: 'no', hint: 'h' },
    } as const;
    const { output, kept } = await callOf(() => failed);
    assert.deepEqual(output, failed);
    assert.deepEqual(kept, failed);
  });

  test('throws, an AgentError or anything else', async () => {
    for (const [thrown, code, message] of [
      [new AgentError('usage.not-found', 'gone', { hint: 'look', details: [1] }), 'usage.not-found', 'gone'],
      [new Error('broken'), 'skill.failed', 'broken'],
      ['a word', 'skill.failed', 'a word'],
      [undefined, 'skill.failed', 'undefined'],
      [Symbol('odd'), 'skill.failed', 'Symbol(odd)'],
      [null, 'skill.failed', 'null'],
    ] as const) {
      const { output } = await callOf(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything can be thrown
        throw thrown;
      });
      assert.equal(output.status, 'failed');
      assert.deepEqual([output.error.code, output.error.message], [code, message]);
    }
  });

  test('is not there, and the refusal names the nearest ones', async () => {
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const output = await scope.call('chidl', null);
        return done('went on', output as unknown as Json);
      },
      child: () => done(),
    });
    const run = agent.run({ skill: 'parent' });
    const output = valueOf(await run.result) as unknown as Output;
    assert.equal(said(output), 'skill.not-found');
    const [refused] = ofType(await agent.runs.events(run.id), 'call.refused');
    assert.deepEqual(refused?.error.details, { near: ['child'] });
  });

  test('lacks a program', async () => {
    const { output } = await callOf({ run: () => done(), requires: { bins: ['no-such-program-here'] } });
    assert.equal(said(output), 'skill.unavailable');
    assert.match(output.status === 'failed' ? (output.error.hint ?? '') : '', /no-such-program-here/);
  });

  test('cannot take its input', async () => {
    const child = { input: z.object({ n: z.number() }), run: () => done() } as unknown as Made;
    const { output } = await callOf(child, { n: 'one' });
    assert.equal(said(output), 'usage.bad-input');
    assert.match(output.text, /n: /);
  });

  test('returns something that is no output', async () => {
    for (const value of [
      undefined,
      null,
      7,
      'text',
      [],
      {},
      { status: 'done' },
      { status: 'ok', text: '' },
      { status: 'done', text: 1 },
    ]) {
      const { output } = await callOf(odd(value));
      assert.equal(said(output), 'skill.failed', JSON.stringify(value));
    }
  });

  test('returns a failure without an error', async () => {
    for (const error of [undefined, null, 'no', {}, { code: 'skill.failed' }]) {
      const { output } = await callOf(odd({ status: 'failed', text: 'no', error }));
      assert.equal(output.status, 'failed');
      assert.equal(typeof (output.error as unknown), 'object');
      assert.equal(output.error.code, 'skill.failed');
      assert.equal(typeof output.error.message, 'string');
    }
  });

  test('is the first one and returns a failure without an error', async () => {
    const { exitCode, output } = await runProgram(`
      await using agent = agentWith({ top: () => ({ status: 'failed', text: 'no' }) });
      console.log((await agent.run({ skill: 'top' }).result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'failed']);
  });

  test('returns values that JSON has no words for', async () => {
    const { output, kept } = await callOf(
      odd({
        status: 'done',
        text: 't',
        value: { big: 12n, when: new Date(0), gone: undefined, list: [undefined, Number.NaN], minus: -0 },
      }),
    );
    assert.deepEqual(output, {
      status: 'done',
      text: 't',
      value: { big: '12', when: '1970-01-01T00:00:00.000Z', list: [null, null], minus: 0 },
    });
    assert.deepEqual(kept, output);
  });

  test('returns a circle, or more than is kept', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    assert.equal(
      said((await callOf(odd({ status: 'done', text: '', value: circle }))).output),
      'skill.failed',
    );
    const large = 'x'.repeat(4_000_001);
    assert.equal(
      said((await callOf(odd({ status: 'done', text: '', value: large }))).output),
      'limit.too-large',
    );
  });

  test('says more than a million characters', async () => {
    const { output, kept } = await callOf(() => done('x'.repeat(1_000_005)));
    assert.equal(output.text.length, 1_000_000 + '\n[5 more characters were cut off]'.length);
    assert.ok(output.text.endsWith('x\n[5 more characters were cut off]'));
    assert.deepEqual(kept, output);
  });

  test('says more than a million characters, the last of them a wide one', async () => {
    const { output } = await callOf(() => done(`${'x'.repeat(999_999)}😀 and more`));
    assert.ok(output.text.isWellFormed());
  });

  test('fails with a message that is too long to keep', async () => {
    const { output } = await callOf(() => {
      throw new Error('x'.repeat(5_000_000));
    });
    assert.ok(JSON.stringify(output).length < 4_100_000);
  });

  test('belongs to a family that throws what cannot be kept', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
    const family = flowFamily({
      execute: () => Promise.reject(new AgentError('skill.failed', 'no', { details: circle as Json })),
    });
    await using agent = agentWith(
      {
        parent: async (_input, scope) => done(said(await scope.call('x', null).catch(() => done('thrown')))),
      },
      flowsIn(files.path, family),
    );
    const run = agent.run({ skill: 'parent' });
    assert.equal((await settled(run.result)).text, 'skill.failed');
    assert.equal(ofType(await agent.runs.events(run.id), 'frame.ended').length, 2);
  });
});
