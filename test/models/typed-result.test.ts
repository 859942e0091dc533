import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { parseSkill } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { ServedReply, ServedRequest } from '../../src/testing/model-server/script.ts';
import { codeThrown } from '../support/code-thrown.ts';
import { openStage, providerKinds, type ProviderKind } from '../support/provider-stage.ts';
import { resultsIn } from '../support/wire-results.ts';

const triage = parseSkill(
  '---\nname: triage\ndescription: Looks into an issue.\narguments: [issue]\n---\n\nLook into issue $issue.\n',
  { input: z.object({ issue: z.number() }) },
);
const verdict = z.object({
  severity: z.enum(['low', 'high']),
  due: z.coerce.date(),
  days: z.number().refine((days) => days > 0, 'must be in the future'),
});
const right = { severity: 'high', due: '2026-03-01', days: 2 };

describe('a typed result over the network', { concurrency: true }, () => {
  for (const kind of providerKinds)
    describe(`through ${kind.name}`, { concurrency: true }, () => typedTests(kind));
});

function typedTests(kind: ProviderKind): void {
  test('that does not fit is repaired in the next turn, and arrives as the schema makes it', async () => {
    await using stage = await openStage(kind, [
      submitting({ ...right, severity: 'medium' }),
      submitting({ ...right, days: -1 }),
      submitting(right),
    ]);
    const value = await stage.agent.session('ann').skill(triage, { args: { issue: 42 }, result: verdict });
    assert.deepEqual(value, { ...right, due: new Date('2026-03-01') });
    assert.equal(value.due.getUTCFullYear() + value.days, 2028);

    const [first, second, third, ...more] = stage.server.requests;
    assert.deepEqual(more, []);
    const asked = JSON.stringify(first?.body);
    assert.ok(asked.includes('Look into issue 42.') && asked.includes('"enum":["low","high"]'));
    assert.match(lastResult(second!), /severity/);
    assert.match(lastResult(third!), /days: must be in the future/);
  });

  test('is of the shape that each caller wants', async () => {
    await using stage = await openStage(kind, [
      submitting({ fixed: true }),
      submitting({ value: ['a', 'b'] }),
    ]);
    const session = stage.agent.session();
    const { fixed } = await session.skill(triage, {
      args: { issue: 1 },
      result: z.object({ fixed: z.boolean() }),
    });
    const labels = await session.skill(triage, { args: { issue: 1 }, result: z.array(z.string()) });
    assert.deepEqual([fixed, labels], [true, ['a', 'b']]);
  });

  test('that is never given is not a result, and words are the result where none is wanted', async () => {
    await using stage = await openStage(kind, () => 'It is bad.');
    const session = stage.agent.session();
    const call = session.skill(triage, { args: { issue: 1 }, result: verdict, maxTicks: 3 });
    assert.equal(await codeThrown(call), 'skill.no-result');
    assert.ok(stage.server.requests.length <= 3);
    assert.equal(await session.skill(triage, { args: { issue: 1 } }), 'It is bad.');
  });

  test('that a definition in code declares is asked for without being wanted', async () => {
    await using stage = await openStage(kind, [submitting({ total: '3,50' }), submitting({ total: '3.50' })]);
    const quote = defineSkill({
      name: 'quote',
      description: 'Makes a quote.',
      instructions: 'Quote $parts.',
      input: z.object({ parts: z.array(z.string()) }),
      output: z.object({
        total: z
          .string()
          .regex(/^\d+\.\d\d$/)
          .transform(Number),
      }),
    });
    const { total } = await stage.agent.session().skill(quote, { args: { parts: ['tube'] } });
    assert.equal(total, 3.5);
    assert.equal(stage.server.requests.length, 2);
  });

  test('is not asked for with arguments that do not fit', async () => {
    await using stage = await openStage(kind, []);
    const session = stage.agent.session();
    const args = { issue: 'x' } as unknown as { issue: number };
    assert.equal(await codeThrown(session.skill(triage, { args, result: verdict })), 'usage.bad-input');
    assert.deepEqual(stage.server.requests, []);
  });
}

function submitting(input: NonNullable<NonNullable<ServedReply['calls']>[number]['input']>): ServedReply {
  return { calls: [{ name: 'submit', input }] };
}

function lastResult(request: ServedRequest): string {
  return resultsIn(request).at(-1)?.text ?? '';
}
