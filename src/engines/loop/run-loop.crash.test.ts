import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done } from '../../../test/support/kernel.ts';
import { leaf, thinker } from '../../../test/support/loop-stage.ts';
import type { Message, ModelRequest } from '../../core/model.ts';
import type { RunResult } from '../../core/run.ts';
import { createScriptedModel, type ScriptedTurn } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash, type Incarnation } from '../../testing/crash-harness.ts';

/** The effects of one trial, in all its processes. */
interface World {
  /** The idempotency key of each effect, in order. */
  readonly effects: string[];
  /** The model requests, in order. */
  readonly asked: string[];
  isSteered: boolean;
}

interface Outcome {
  readonly result: RunResult;
  readonly conversation: readonly Message[];
}

/** Returns the turn of the outer loop's model, which depends only on the conversation. */
function outer(request: ModelRequest): ScriptedTurn {
  const { messages } = request;
  if (request.system?.startsWith('Summarise') === true) {
    const names = (messages[0]?.text ?? '').match(/\$\$[a-z]+(?:-[a-z]+)*-\d|Hurry\./g) ?? [];
    return `There are ${[...new Set(names)].join(' ')}`;
  }
  const steps = messages.filter(({ role }) => role === 'assistant').length;
  const said = messages.map(({ text }) => text).join('\n');
  if (messages[0]?.text === 'Deep down.') {
    return steps === 0 ? { calls: [{ id: 'd1', name: 'work', input: { input: 'deep' } }] } : 'Deep enough.';
  }
  if (!said.includes('$$work-2')) {
    const calls = ['a', 'b'].map((input, index) => ({ id: `w${index}`, name: 'work', input: { input } }));
    return {
      text: 'First two at once.',
      calls: [...calls, { id: 'x', name: 'fails', input: { input: '' } }],
    };
  }
  if (!said.includes('ask-user-1')) {
    return { calls: [{ id: 'q', name: 'ask-user', input: { question: 'Which?' } }] };
  }
  if (!said.includes('deep-1')) {
    return { calls: [{ id: 'n', name: 'deep', input: { input: 'Deep down.' } }] };
  }
  if (!said.includes('$$work-3')) {
    return { calls: [{ id: 'r', name: 'work', input: { input: 'again: $$work-1' } }] };
  }
  return `All done, ${said.includes('Hurry.') ? 'in a hurry' : 'slowly'}.`;
}

async function live(incarnation: Incarnation, world: World): Promise<Outcome> {
  let conversation: readonly Message[] = [];
  const model = createScriptedModel((request) => {
    world.asked.push(JSON.stringify([request.system ?? '', request.messages]));
    return outer(request);
  });
  const short = { compactAt: 150, keepRecent: 2 };
  const agent = agentWith(
    {
      work: leaf(async (input, scope) => {
        await incarnation.effect(() => world.effects.push(scope.run.idempotencyKey));
        return done(`worked on ${input} ${'.'.repeat(100)}`);
      }),
      fails: leaf(() => {
        throw new Error('It does not work.');
      }),
      deep: thinker(['work'], short),
      think: thinker(['work', 'fails', 'ask-user', 'deep'], short, ({ messages }) => {
        conversation = messages;
      }),
    },
    { models: { execution: model, summary: model }, store: incarnation.store },
  );
  const known = (await incarnation.store.runs()).find(({ seq }) => seq > 0);
  let result = await (
    known === undefined
      ? agent.run({ skill: 'think', input: 'Do all of it.' })
      : agent.runs.resume(known.id, { takeOver: true })
  ).result;
  while (result.status === 'waiting') {
    if (!world.isSteered) await agent.runs.steer(result.runId, 'Hurry.');
    world.isSteered = true;
    await agent.runs.answer(result.runId, 'the left one').catch(() => undefined); // an earlier process may have answered
    result = await agent.runs.resume(result.runId).result;
  }
  await agent.shutdown();
  return { result, conversation };
}

describe('a loop that is killed at any write', () => {
  test('continues with the same conversation, and makes no finished call again', async () => {
    let world: World = { effects: [], asked: [], isSteered: false };
    let whole: { readonly conversation: readonly Message[]; readonly asked: ReadonlySet<string> } | undefined;
    let ended = 0;
    const crashes = await everyCrash(
      {
        open: () => {
          world = { effects: [], asked: [], isSteered: false };
          return createMemoryStore();
        },
        live: (incarnation) => live(incarnation, world),
      },
      ({ outcome: { result, conversation }, deaths }) => {
        const where = JSON.stringify(deaths);
        assert.equal(result.text, 'All done, in a hurry.', `${where} ${JSON.stringify(result.error)}`);
        whole ??= { conversation, asked: new Set(world.asked) };
        if (conversation.length === 0)
          ended += 1; // its frame had ended, so nothing in it ran again
        else assert.deepEqual(conversation, whole.conversation, where);
        assert.deepEqual(new Set(world.asked), whole.asked, where);
        assert.equal(new Set(world.effects).size, 4, where);
        assert.ok(world.effects.length <= 4 + deaths.length * 2, `${where} ${world.effects.join()}`); // two may be in progress
        assert.ok(world.asked.length <= whole.asked.size + deaths.length, where);
      },
    );
    assert.ok(crashes >= 60 && ended <= 3, `${crashes} ${ended}`);
  });
});
