import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, ofType } from '../../../test/support/kernel.ts';
import { call, checkConversation, leaf, stage, toolTexts } from '../../../test/support/loop-stage.ts';
import type { ModelRequest } from '../../core/model.ts';

describe('references in a loop', () => {
  test('give a tool a whole result that the model saw only a part of', async () => {
    const long = 'x'.repeat(100_000);
    let received: unknown;
    const { agent, model } = stage(
      [{ calls: [call('make')] }, { calls: [call('take', { input: '$$make-1' })] }, 'Done.'],
      {
        make: leaf(() => done(long)),
        take: leaf((input) => {
          received = input;
          return done();
        }),
      },
    );
    await agent.run({ skill: 'think' }).result;
    assert.equal(received, long);
    const shown = toolTexts(model.requests[1])[0] ?? '';
    assert.ok(shown.length < 31_000, `${shown.length}`);
    assert.match(shown, /70,000 characters .*\$\$make-1/);
  });

  test('stay usable after the conversation was summarised', async () => {
    let received: unknown;
    const { agent, model } = stage(
      (request, turn) => {
        if (request.system?.startsWith('Summarise') === true) return 'They made something, $$make-1.';
        if (turn <= 6) return { calls: [call('make', { input: `${turn}` })] };
        const isTaken = toolTexts(request).at(-1)?.startsWith('[$$take-1]') === true;
        return isTaken ? 'Done.' : { calls: [call('take', { input: '$$make-1' })] };
      },
      {
        make: leaf((input) => done(`made ${input} ${'y'.repeat(400)}`)),
        take: leaf((input) => {
          received = input;
          return done();
        }),
      },
      { compactAt: 300, keepRecent: 2 },
    );
    const { text } = await agent.run({ skill: 'think', input: 'The task.' }).result;
    assert.equal(text, 'Done.');
    assert.match(String(received), /^made 1 y/);
    const last = model.requests.at(-1)?.messages ?? [];
    assert.equal(last[0]?.text, 'The task.');
    assert.match(last[1]?.text ?? '', /^Summary of the conversation so far:\n\nThey made/);
  });
});

function isSummary({ system }: ModelRequest): boolean {
  return system?.startsWith('Summarise') === true;
}

describe('a long loop', () => {
  test('is summarised as often as it has to be', async () => {
    let summaries = 0;
    const { agent, ends } = stage(
      (request, turn) => {
        if (isSummary(request)) return `Gist ${(summaries += 1)}.`;
        return turn > 40 ? 'Done.' : { calls: [call('make', { input: `${turn}` })] };
      },
      { make: leaf((input) => done(`made ${input} ${'y'.repeat(400)}`)) },
      { compactAt: 500, keepRecent: 4, maxSteps: 100, options: { limits: { steps: 100 } } },
    );
    const { text, error } = await agent.run({ skill: 'think', input: 'The task.' }).result;
    assert.equal(text, 'Done.', JSON.stringify(error));
    assert.ok(summaries >= 5, `${summaries}`);
    assert.ok((ends[0]?.messages.length ?? 99) < 14);
    checkConversation(ends[0]?.messages ?? []);
  });

  test('is summarised at once when the model cannot take it, and continues', async () => {
    const { agent, ends } = stage(
      (request, turn) => {
        if (isSummary(request)) return 'The gist.';
        if (request.messages.length > 6) return { error: { code: 'model.too-long', message: 'Too long.' } };
        return turn > 12 ? 'Done.' : { calls: [call('make', { input: `${turn}` })] };
      },
      { make: leaf((input) => done(`made ${input}`)) },
      { options: { limits: { steps: 100 } } },
    );
    assert.equal((await agent.run({ skill: 'think' }).result).text, 'Done.');
    checkConversation(ends[0]?.messages ?? []);
  });

  test('ends when even its shortest form does not fit, and when the summary fails', async () => {
    const tooLong = { error: { code: 'model.too-long', message: 'Too long.' } } as const;
    const { agent, model } = stage(() => tooLong);
    assert.equal((await agent.run({ skill: 'think' }).result).error?.code, 'model.too-long');
    assert.equal(model.requests.length, 1);

    const failing = stage(
      (request, turn) => {
        if (isSummary(request)) return { error: { code: 'model.failed', message: 'It broke.' } };
        return turn > 6 ? tooLong : { calls: [call('make', { input: `${turn}` })] };
      },
      { make: leaf((input) => done(`made ${input}`)) },
    );
    const handle = failing.agent.run({ skill: 'think' });
    assert.equal((await handle.result).error?.code, 'model.too-long');
    const notes = ofType(await failing.agent.runs.events(handle.id), 'note.added');
    assert.match(notes[0]?.message ?? '', /could not be summarised: It broke/);
  });
});
