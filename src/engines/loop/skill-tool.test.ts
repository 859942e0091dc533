import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, ofType } from '../../../test/support/kernel.ts';
import { call, checkConversation, leaf, toolTexts } from '../../../test/support/loop-stage.ts';
import { guideStage } from '../../../test/support/guide-stage.ts';
import type { ModelRequest } from '../../core/model.ts';

const namesIn = (request: ModelRequest | undefined): readonly string[] =>
  (request?.tools ?? []).map(({ name }) => name);

describe('a skill that is loaded', () => {
  test('is the result of the tool, with its arguments, in a frame of its own', async () => {
    using stage = guideStage([{ calls: [call('skill', { name: 'tidy', args: 'the desk' })] }, 'Tidied.'], {
      tidy: {},
    });
    const { text, runId } = await stage.agent.run({ skill: 'think', input: 'Tidy up.' }).result;
    assert.equal(text, 'Tidied.');
    assert.deepEqual(toolTexts(stage.model.requests[1]), ['[loaded tidy]\nText of tidy. ("the desk")']);
    const frames = ofType(await stage.agent.runs.events(runId), 'frame.started');
    assert.deepEqual(
      frames.map(({ skill, through }) => [skill, through]),
      [
        ['think', undefined],
        ['tidy', 'load'],
      ],
    );
    assert.deepEqual(stage.ends[0]?.results, {});
  });

  test('is in the description of the tool, and no tool of its own', async () => {
    using stage = guideStage(['Done.'], { tidy: {} }, { look: leaf(() => done()) });
    await stage.agent.run({ skill: 'think' }).result;
    const names = namesIn(stage.model.requests[0]);
    assert.ok(names.includes('skill') && names.includes('look') && !names.includes('tidy'), names.join());
    const tool = stage.model.requests[0]?.tools?.find(({ name }) => name === 'skill');
    assert.match(tool?.description ?? '', /<name>tidy<\/name>\n\s*<description>Is for tidy/);
  });

  test('gets a short note the second time, and is loaded again with other arguments', async () => {
    using stage = guideStage(
      [
        { calls: [call('skill', { name: 'tidy' }), call('skill', { name: '/tidy', args: '' })] },
        { calls: [call('skill', { name: 'Tidy' })] },
        { calls: [call('skill', { name: 'tidy', args: { room: 1 } })] },
        'Done.',
      ],
      { tidy: {} },
    );
    await stage.agent.run({ skill: 'think' }).result;
    const note = '"tidy" is already loaded: its text is above.';
    assert.deepEqual(toolTexts(stage.model.requests[3]), [
      '[loaded tidy]\nText of tidy. (null)',
      note,
      note,
      '[loaded tidy]\nText of tidy. ({"room":1})',
    ]);
    assert.deepEqual(stage.loads, ['tidy', 'tidy']);
  });

  test('is shown whole, however long it is', async () => {
    using stage = guideStage([{ calls: [call('skill', { name: 'tidy' })] }, 'Done.'], {
      tidy: { text: 'x'.repeat(60_000) },
    });
    await stage.agent.run({ skill: 'think' }).result;
    assert.equal(toolTexts(stage.model.requests[1])[0]?.length, '[loaded tidy]\n (null)'.length + 60_000);
  });

  test('takes tools away from the next step on, and from calls after it in the same step', async () => {
    using stage = guideStage(
      [{ calls: [call('look'), call('skill', { name: 'tidy' }), call('look', { input: '2' })] }, 'Done.'],
      { tidy: { card: { disallowedTools: ['Look'] } } },
      { look: leaf(() => done('seen'), { permission: 'Look' }) },
    );
    await stage.agent.run({ skill: 'think' }).result;
    const [first, second] = stage.model.requests;
    assert.deepEqual(
      namesIn(first).filter((name) => !namesIn(second).includes(name)),
      ['look'],
    );
    const results = toolTexts(second);
    assert.equal(results[0], '[$$look-1]\nseen');
    assert.match(results[2] ?? '', /^Error: .*policy\.denied/);
  });

  test('that a model calls as a tool under a misspelt name is suggested', async () => {
    using stage = guideStage(
      [{ calls: [call('tidyy')] }, 'Done.'],
      { tidy: {} },
      { look: leaf(() => done()) },
    );
    await stage.agent.run({ skill: 'think' }).result;
    assert.match(toolTexts(stage.model.requests[1])[0] ?? '', /Did you mean "tidy"/);
  });

  test('that is not there is an error that names the nearest; a tool is distinguished from a skill', async () => {
    using stage = guideStage(
      [
        { calls: [call('skill', { name: 'tidyy' }), call('skill', { name: 'look' }), call('skill', {})] },
        'Done.',
      ],
      { tidy: {} },
      { look: leaf(() => done()) },
    );
    await stage.agent.run({ skill: 'think' }).result;
    const [near, tool, bad] = toolTexts(stage.model.requests[1]);
    assert.match(near ?? '', /There is no skill "tidyy".*\n.*Did you mean "tidy"/);
    assert.match(tool ?? '', /"look" is a separate tool/);
    assert.match(bad ?? '', /name is required/);
  });

  test('is kept by a summary, so that the note stays true, and is loaded again when it was cut', async () => {
    const turns = Array.from({ length: 5 }, (_, index) => ({ calls: [call('look', { input: `${index}` })] }));
    const load = (name: string): { calls: readonly ReturnType<typeof call>[] } => ({
      calls: [call('skill', { name })],
    });
    const script = [load('tidy'), load('long'), ...turns, load('tidy'), load('long'), 'Done.'];
    let asked = 0;
    using stage = guideStage(
      ({ system }) => (system?.startsWith('Summarise') === true ? 'Gist.' : script[asked++]),
      { tidy: {}, long: { text: 'x'.repeat(30_000) } },
      { look: leaf((input) => done(`${input} ${'.'.repeat(8_000)}`)) },
      { compactAt: 10_000, keepRecent: 2 },
    );
    assert.equal((await stage.agent.run({ skill: 'think' }).result).text, 'Done.');
    assert.deepEqual(stage.loads, ['tidy', 'long', 'long']);
    const results = toolTexts(stage.model.requests.at(-1));
    assert.ok(
      stage.model.requests.flatMap(toolTexts).includes('"tidy" is already loaded: its text is above.'),
    );
    assert.ok(results.includes('[loaded tidy]\nText of tidy. (null)'));
    const { messages = [] } = stage.ends[0] ?? {};
    checkConversation(messages);
    assert.equal(
      messages.filter(({ text }) => text.startsWith('[loaded long]') && text.length > 30_000).length,
      1,
    );
  });
});

describe('a skill that forks', () => {
  test('is called and not loaded, several of them at the same time', async () => {
    let open = 0;
    let most = 0;
    const both = Promise.withResolvers<undefined>();
    const run = async (input: unknown): Promise<ReturnType<typeof done>> => {
      most = Math.max(most, (open += 1));
      if (open === 2) both.resolve(undefined);
      await both.promise;
      return done(`did ${String(input)}`);
    };
    using stage = guideStage(
      [
        {
          calls: [
            call('skill', { name: 'dig', args: 'here' }),
            call('skill', { name: 'dig', args: 'there' }),
          ],
        },
        { calls: [call('skill', { name: 'dig', args: 'here' })] },
        'Done.',
      ],
      { dig: { card: { forks: 'awaited' }, run } },
    );
    await stage.agent.run({ skill: 'think' }).result;
    assert.equal(most, 3);
    assert.deepEqual(toolTexts(stage.model.requests[2]), [
      '[$$skill-1]\ndid here',
      '[$$skill-2]\ndid there',
      '[$$skill-3]\ndid here',
    ]);
    assert.deepEqual(stage.loads, []);
  });
});

describe('hooks of a skill that was loaded', () => {
  const load = { calls: [call('skill', { name: 'guard' })] };

  test('hear of calls before and after, and of the end, and say something to each', async () => {
    const received: unknown[] = [];
    let stops = 0;
    using stage = guideStage(
      [
        load,
        { calls: [call('look', { input: 'a' }), call('look', { input: 'b' })] },
        'Ready.',
        'Really ready.',
      ],
      {
        guard: {
          hooks: ['before', 'after', 'stop'],
          hook: (event) => {
            received.push(event);
            const { moment, input } = event as { moment: string; input?: { input: string } };
            if (moment === 'before' && input?.input === 'b') return done('', { objection: 'Not b.' });
            if (moment === 'after') return done('', { objection: 'Mind the gap.' });
            return done('', moment === 'stop' && (stops += 1) === 1 ? { objection: 'Run the tests.' } : {});
          },
        },
      },
      { look: leaf((input) => done(`seen ${input}`), { permission: 'Look' }) },
    );
    const { text } = await stage.agent.run({ skill: 'think' }).result;
    assert.equal(text, 'Really ready.');
    assert.deepEqual(toolTexts(stage.model.requests[2]).slice(1), [
      '[$$look-1]\nseen a\n\nMind the gap.',
      'Error: Not b. (policy.denied)',
    ]);
    assert.equal(stage.model.requests[3]?.messages.at(-1)?.text, 'Run the tests.');
    assert.deepEqual(
      received.filter((event) => (event as { moment: string }).moment === 'after'),
      [{ moment: 'after', tool: 'Look', input: { input: 'a' }, text: 'seen a' }],
      'it does not hear of its own loading',
    );
    assert.deepEqual(received.at(-1), { moment: 'stop', text: 'Really ready.' });
    assert.deepEqual(
      received.filter((event) => (event as { moment: string }).moment === 'before'),
      [
        { moment: 'before', tool: 'Look', input: { input: 'a' } },
        { moment: 'before', tool: 'Look', input: { input: 'b' } },
      ],
    );
  });

  test('that fail keep a call from happening, and are only noted afterwards', async () => {
    let looks = 0;
    using stage = guideStage(
      [load, { calls: [call('look')] }, 'Ready.'],
      {
        guard: {
          hooks: ['before', 'stop'],
          hook: () => {
            throw new Error('no such program');
          },
        },
      },
      { look: leaf(() => done(`${(looks += 1)}`)) },
    );
    const { text, runId } = await stage.agent.run({ skill: 'think' }).result;
    assert.equal(text, 'Ready.');
    assert.equal(looks, 0);
    assert.match(
      toolTexts(stage.model.requests[2])[1] ?? '',
      /A hook of "guard" failed: no such program \(policy\.denied\)/,
    );
    const notes = ofType(await stage.agent.runs.events(runId), 'note.added').map(({ message }) => message);
    assert.deepEqual(notes, [
      'A hook blocked a call of look: A hook of "guard" failed: no such program',
      'A hook of "guard" failed: no such program',
    ]);
  });

  test('cannot hold a model for ever', async () => {
    using stage = guideStage((_request, turn) => (turn === 1 ? load : `Answer ${turn}.`), {
      guard: { hooks: ['stop'], hook: () => done('', { objection: 'More.' }) },
    });
    const { text } = await stage.agent.run({ skill: 'think' }).result;
    assert.equal(text, 'Answer 5.');
    assert.equal(stage.model.requests.length, 5);
  });
});
