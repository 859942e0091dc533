import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { agentWith, done } from '../../../test/support/kernel.ts';
import { loadSkill, parseSkill } from '../../config/preset.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { Json } from '../../core/json.ts';
import type { AgentSession } from './session.ts';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Compiles only for a call that resolves to exactly this type. The call is not made. */
function resolves<Expected>() {
  return <Value>(_call: () => Promise<Value>, _isSame: Same<Expected, Value>): void => undefined;
}

const triage = defineSkill({
  name: 'triage',
  description: 'Triages.',
  instructions: 'Triage.',
  input: z.object({ issue: z.number(), urgent: z.boolean().default(false) }),
});
const quote = defineSkill({
  name: 'quote',
  description: 'Quotes.',
  input: () => z.object({ parts: z.array(z.string()) }),
  output: z.object({ total: z.number() }),
  run: ({ parts }) => done('', { total: parts.length }),
});
const text = '---\nname: loaded\ndescription: Helps.\n---\n\nHelp.\n';
const loaded = parseSkill(text, { input: z.object({ n: z.coerce.number<string>() }) });
const free = defineSkill({ name: 'free', description: 'Takes all.', run: () => done() });

const plain = defineSkill({
  name: 'plain',
  description: 'Returns a plain value.',
  input: z.object({ rim: z.number() }),
  needsApproval: ({ rim }) => rim > 700,
  run: async ({ rim }) => ({ half: rim / 2, at: new Date(0), sizes: [rim] }),
});
const nothing = defineSkill({ name: 'nothing', description: 'Returns nothing.', run: () => undefined });
const effect = defineSkill({ name: 'effect', description: 'Returns void.', run: (): void => undefined });
const big = defineSkill({ name: 'big', description: 'Returns a big integer.', run: () => ({ id: 10n }) });

/** Never called. Only the type checker reads it. */
async function judged(session: AgentSession): Promise<void> {
  const shape = z.object({ fixed: z.boolean(), at: z.coerce.date() });
  resolves<string>()(() => session.skill('triage'), true);
  resolves<string>()(() => session.skill('triage', { args: { issue: 'any JSON' } }), true);
  resolves<{ fixed: boolean; at: Date }>()(() => session.skill('triage', { result: shape }), true);
  resolves<Json>()(() => session.skill('triage', { result: { type: 'object' } }), true);
  resolves<string>()(() => session.skill(triage, { args: { issue: 4 } }), true);
  resolves<{ fixed: boolean; at: Date }>()(
    () => session.skill(triage, { args: { issue: 4, urgent: true }, result: shape }),
    true,
  );
  resolves<{ total: number }>()(() => session.skill(quote, { args: { parts: ['tube'] } }), true);
  resolves<number>()(() => session.skill(quote, { result: z.number() }), true);
  resolves<{ half: number; at: string; sizes: number[] }>()(() => session.skill(plain), true);
  resolves<string>()(() => session.skill(nothing), true);
  resolves<string>()(() => session.skill(effect), true);
  resolves<{ id: string }>()(() => session.skill(big), true);
  resolves<string>()(() => session.prompt('Hello.'), true);
  resolves<{ fixed: boolean; at: Date }>()(() => session.prompt('Hello.', { result: shape }), true);
  resolves<string>()(() => session.skill(loaded, { args: { n: '4' } }), true);
  resolves<string>()(() => session.skill(free, { args: [1, null] }), true);
  resolves<{ total: number }>()(() => session.skill<Json, { total: number }>('quote'), true);
  // @ts-expect-error an issue is a number
  await session.skill(triage, { args: { issue: '4' } });
  // @ts-expect-error there is no such argument
  await session.skill(triage, { args: { issue: 4, isue: 5 }, result: shape });
  // @ts-expect-error the schema takes a text
  await session.skill(await loadSkill('.', { input: z.object({ n: z.string() }) }), { args: { n: 4 } });
  // @ts-expect-error a date is not JSON
  await session.skill('triage', { args: new Date() });
  // @ts-expect-error a word is no schema
  await session.skill('triage', { result: 'number' });
}

test('the types of arguments and results follow the schemas, and so do the values', async () => {
  await using agent = agentWith({});
  const { total } = await agent.session().skill(quote, { args: { parts: ['tube', 'tyre'] } });
  assert.equal(total, 2);
  const { half, at, sizes } = await agent.session().skill(plain, { args: { rim: 622 } });
  assert.deepEqual([half, at, sizes], [311, '1970-01-01T00:00:00.000Z', [622]]);
  assert.equal(await agent.session().skill(nothing), '');
  await assert.rejects(agent.session().skill(plain, { args: { rim: 701 } }), { code: 'policy.waiting' });
  assert.equal(typeof judged, 'function');
});
