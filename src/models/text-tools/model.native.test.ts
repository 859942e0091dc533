import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collect, type ModelRequest } from '../../core/model.ts';
import { modelContract } from '../../testing/model-contract.ts';
import { nativeOrText } from './model.ts';
import { createScriptedModel, type ScriptedTurn } from '../scripted.ts';

const never = new AbortController().signal;
const request: ModelRequest = {
  messages: [{ role: 'user', text: 'Look.' }],
  tools: [{ name: 'read', description: 'Reads.', input: { type: 'object' } }],
};
const refusal = {
  error: { code: 'model.failed', message: 'registry/small:latest does not support tools' },
  usage: { inputTokens: 2, outputTokens: 0 },
} as const;

modelContract('that calls tools by itself', {
  answering: (text) => nativeOrText(createScriptedModel(() => ({ text, pieces: 3 }))),
  calling: (calls) => nativeOrText(createScriptedModel(() => ({ calls }))),
  hanging: () => nativeOrText(createScriptedModel(() => ({ hang: true }))),
  failing: () => nativeOrText(createScriptedModel([])),
});

/** Creates a model that rejects tools and otherwise answers with this turn. */
function small(say: ScriptedTurn): ReturnType<typeof createScriptedModel> {
  return createScriptedModel((asked) => (asked.tools === undefined ? say : refusal));
}

modelContract('that takes no tools', {
  answering: (text) => nativeOrText(small({ text, pieces: 3 })),
  calling: (calls) =>
    nativeOrText(
      small(
        calls
          .map(({ name, input }) => `\`\`\`call\n${JSON.stringify({ tool: name, input })}\n\`\`\`\n`)
          .join(''),
      ),
    ),
  hanging: () => nativeOrText(small({ hang: true })),
  failing: () => nativeOrText(small({ error: { code: 'model.busy', message: 'Busy.' } })),
});

describe('a model whose provider refuses tools', () => {
  test('is told them in words, now and from then on', async () => {
    const scripted = small({ text: 'Hello.', usage: { inputTokens: 5, outputTokens: 1 } });
    const model = nativeOrText(scripted);
    const first = await collect(model.stream(request, never));
    assert.equal(first.text, 'Hello.');
    assert.deepEqual(first.failed, [{ model: 'scripted/model', error: refusal.error }]);
    assert.equal(first.usage.inputTokens, 7);
    const second = await collect(model.stream(request, never));
    assert.equal(second.failed, undefined);
    assert.deepEqual(
      scripted.requests.map(({ tools }) => tools !== undefined),
      [true, false, false],
    );
  });

  test('gives one answer to each of several requests at once', async () => {
    let asked = 0;
    const model = nativeOrText(
      createScriptedModel(({ tools }) => (tools !== undefined && ++asked === 2 ? refusal : 'One.')),
    );
    const replies = await Promise.all([1, 2, 3].map(() => collect(model.stream(request, never))));
    assert.deepEqual(
      replies.map(({ text }) => text),
      ['One.', 'One.', 'One.'],
    );
  });
});

test('another failure is only that', async () => {
  const error = { code: 'model.failed', message: 'The tool "x" is described badly.' } as const;
  const scripted = createScriptedModel(() => ({ error }));
  const reply = await collect(nativeOrText(scripted).stream(request, never));
  assert.deepEqual(reply.error, error);
  assert.equal(scripted.requests.length, 1);
});
