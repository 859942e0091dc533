import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, settled, textOf, type Made } from '../../test/support/kernel.ts';
import type { Json } from '../core/json.ts';
import type { PromptOptions } from './prompt-options.ts';

const asks: Made = { run: async (_input, scope) => done(`to the ${textOf(await scope.ask('Which way?'))}`) };
const counts: Made = {
  run: async (_input, scope) =>
    done(JSON.stringify(await scope.ask({ text: 'How many?', schema: { type: 'integer' } }))),
};
const says: Made = {
  run: (_input, scope) => {
    scope.note('a line');
    return done('said');
  },
};

/** A turn of the one session, whose questions a program answers. */
function readBy(inputReader: () => Promise<Json | undefined>, more: PromptOptions = {}): PromptOptions {
  return { ...more, context: { sessionId: 's', io: { inputReader } } };
}

describe('a program that answers questions', () => {
  test('gives text as a person would, also where a number is asked for', async () => {
    await using agent = agentWith({ counts });
    assert.equal(
      (
        await settled(
          agent.executePrompt(
            '/counts',
            readBy(async () => '7'),
          ),
        )
      ).text,
      '7',
    );
    assert.equal(
      (
        await settled(
          agent.executePrompt(
            '/counts',
            readBy(async () => 8),
          ),
        )
      ).text,
      '8',
    );
  });

  test('gets a failure as data when its answer does not fit, or when it fails itself', async () => {
    await using agent = agentWith({ counts });
    const wrong = await settled(
      agent.executePrompt(
        '/counts',
        readBy(async () => 'many'),
      ),
    );
    assert.deepEqual([wrong.status, codeOf(wrong)], ['waiting', 'usage.bad-input']);
    const broken = readBy(() => Promise.reject(new Error('nobody there')));
    const failed = await settled(agent.executePrompt('/counts', broken));
    assert.deepEqual([failed.status, failed.error?.message], ['waiting', 'nobody there']);
  });

  test('is not forestalled by the next prompt, which stands in line', async () => {
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<string>();
    const read = (): Promise<string> => {
      asked.resolve(undefined);
      return answer.promise;
    };
    await using agent = agentWith({ asks });
    const first = agent.executePrompt('/asks', readBy(read));
    const second = agent.executePrompt('right', { context: { sessionId: 's' } });
    await settled(asked.promise);
    answer.resolve('left');
    assert.equal((await settled(first)).text, 'to the left');
    assert.equal(codeOf(await settled(second)), 'skill.not-found');
  });

  test('ends the run by calling it off while it is asked', async () => {
    const controller = new AbortController();
    const read = (): Promise<string> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    await using agent = agentWith({ asks });
    const { signal } = controller;
    const { status, runId } = await settled(agent.executePrompt('/asks', readBy(read, { signal })));
    assert.equal(status, 'cancelled');
    assert.equal((await agent.runs.result(runId)).status, 'cancelled');
  });

  test('and hears lines does no harm when it fails to', async () => {
    await using agent = agentWith({ says });
    const outputWriter = (): never => {
      throw new Error('closed');
    };
    const { text } = await settled(agent.executePrompt('/says', { context: { io: { outputWriter } } }));
    assert.equal(text, 'said');
  });
});
