import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  said,
  valueOf,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Json } from '../../core/json.ts';

describe('the input of a call', () => {
  test('arrives with the defaults and conversions of its schema; the log has it as it was given', async () => {
    const input = z.object({
      n: z.coerce.number().default(4),
      when: z.iso.date().transform((text) => new Date(text)),
    });
    await using agent = agentWith({
      parent: async (_input, scope) => scope.call('child', { when: '2020-01-02' }),
      child: {
        input,
        run: ({ n, when }: z.infer<typeof input>) => done(`${n} ${when.getUTCFullYear()}`),
      } as unknown as TestSkill,
    });
    const run = agent.run({ skill: 'parent' });
    assert.equal((await run.result).text, '4 2020');
    const started = ofType(await agent.runs.events(run.id), 'frame.started');
    assert.deepEqual(started[1]?.input, { when: '2020-01-02' });
  });

  test('is checked by the JSON Schema of the card where the family has no word in it', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', default: 3 }, s: { type: 'string' } },
      required: ['s'],
    };
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
    const family = flowFamily({
      parse: () => ({ name: 'x', card: { description: 'X.', input: schema }, definition: 'x', issues: [] }),
      execute: async (_definition, input) => done('in', input),
    });
    await using agent = agentWith({}, flowsIn(files.path, family));
    assert.deepEqual(valueOf(await agent.run({ skill: 'x', input: { s: 'a' } }).result), { n: 3, s: 'a' });
    const bad = await agent.run({ skill: 'x', input: { n: 1.5 } }).result;
    assert.equal(codeOf(bad), 'usage.bad-input');
    assert.deepEqual(
      (bad.error?.details as { faults: string[] }).faults.map((fault) => fault.split(' ')[0]),
      ['n', 's'],
    );
  });

  test('under a schema that cannot be used is a fault of the skill', async () => {
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
    const family = flowFamily({
      parse: () => ({
        name: 'x',
        card: { description: 'X.', input: { type: 'nonsense' } },
        definition: 'x',
        issues: [],
      }),
    });
    await using agent = agentWith({}, flowsIn(files.path, family));
    assert.equal(codeOf(await agent.run({ skill: 'x', input: 1 }).result), 'skill.invalid');
  });

  test('that cannot be kept is a refusal', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    await using agent = agentWith({
      parent: async (_input, scope) =>
        done(
          [
            said(await scope.call('child', circle as Json)),
            said(await scope.call('child', 'x'.repeat(4_000_001))),
          ].join(' '),
        ),
      child: () => done(),
    });
    assert.equal((await agent.run({ skill: 'parent' }).result).text, 'skill.failed limit.too-large');
  });

  test('is without secrets, in the skill as in the log', async () => {
    await using agent = agentWith({ top: (input) => done('in', input) }, { secrets: ['open-sesame-1234'] });
    const result = await agent.run({ skill: 'top', input: { say: 'open-sesame-1234 please' } }).result;
    assert.deepEqual(valueOf(result), { say: '[redacted] please' });
  });

  test('leaves no secret in names and keys', async () => {
    const secret = 'open-sesame-1234';
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          await scope.call(secret, null);
          await scope.step(`get ${secret}`, () => 1);
          scope.memory.set(secret, 1);
          return done();
        },
      },
      { secrets: [secret] },
    );
    const run = agent.run({ skill: 'top' });
    await run.result;
    assert.ok(!JSON.stringify(await agent.runs.events(run.id)).includes(secret));
  });

  test('may be changed by the skill without changing the log', async () => {
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const first = await scope.call('child', { n: 1 }, { key: 'k' });
        const second = await scope.call('child', { n: 1 }, { key: 'k' });
        return done(`${first.text} ${second.text}`);
      },
      child: (input) => {
        (input as { n: number }).n = 2;
        return done('changed');
      },
    });
    const run = agent.run({ skill: 'parent' });
    const result = await run.result;
    assert.equal(result.text, 'changed changed');
  });
});
