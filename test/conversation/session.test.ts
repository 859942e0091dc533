import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Message, ModelRequest } from '../../src/core/model.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, codeOf, done, ofType } from '../support/kernel.ts';
import { call, leaf, thinker } from '../support/loop-stage.ts';
import { tree } from '../support/tree.ts';
import { picture } from './scripts.ts';

const talk = { session: 's', assistant: 'open' } as const;

const rolesOf = ({ messages = [] }: Partial<ModelRequest> = {}): readonly Message['role'][] =>
  messages.map(({ role }) => role);

describe('the assistant in a session', { concurrency: true }, () => {
  test('answers without any skill in the mode "open", and says nothing fits in the other', async () => {
    const model = createScriptedModel(['Hello.', 'No skill does this.']);
    await using agent = agentWith({}, { models: model });
    assert.equal((await agent.run({ prompt: 'Hello?', ...talk }).result).text, 'Hello.');
    await agent.executePrompt('Hello?');
    const [open, only] = model.requests.map(({ system = '' }) => system);
    assert.match(open ?? '', /You are the assistant of skilled/);
    assert.match(only ?? '', /If none fits, say clearly/);
    await using bare = agentWith(
      {},
      { models: createScriptedModel(['Hello.']), only: true, exposeInternalSkills: false },
    );
    assert.equal(codeOf(await bare.run({ prompt: 'Hello?', session: 's' }).result), 'skill.not-found');
    assert.equal((await bare.run({ prompt: 'Hello?', ...talk }).result).text, 'Hello.');
  });

  test('keeps the mode of its options and settings unless the request has one', async () => {
    const systems = async (
      agent: RecursiveSkilledAgent,
      prompt: Parameters<RecursiveSkilledAgent['run']>[0],
    ) => {
      const handle = agent.run(prompt);
      await handle.result;
      const [started] = ofType(await agent.runs.events(handle.id), 'run.started');
      return started?.assistant;
    };
    const models = createScriptedModel(() => 'Hello.');
    await using byOption = agentWith({}, { models, assistant: 'open' });
    assert.equal(await systems(byOption, { prompt: 'Hello?' }), 'open');
    assert.equal(await systems(byOption, { prompt: 'Hello?', assistant: 'skills-only' }), undefined);
    assert.equal(byOption.session('s').assistant, 'open');
    await using bySetting = agentWith({}, { models, settings: { assistant: 'open' } });
    assert.equal(await systems(bySetting, { prompt: 'Hello?' }), 'open');
    const odd = await bySetting.run({ prompt: 'Hello?', assistant: 'closed' as never }).result;
    assert.equal(codeOf(odd), 'usage.bad-input');
  });

  test('is offered none of the hidden built-ins in either mode', async () => {
    for (const assistant of ['open', 'skills-only'] as const) {
      const model = createScriptedModel(['Hello.']);
      await using agent = agentWith(
        { note: leaf(() => done()) },
        { models: model, exposeInternalSkills: false },
      );
      await agent.run({ prompt: 'Hello?', session: 's', assistant }).result;
      const names = model.requests[0]?.tools?.map(({ name }) => name) ?? [];
      assert.ok(names.includes('note'));
      for (const hidden of ['bash', 'write', 'edit', 'webfetch', 'todo'])
        assert.ok(!names.includes(hidden), hidden);
    }
  });

  test('resolves a result of an earlier turn in another process, and never uses its name again', async () => {
    using files = tree();
    const seen: unknown[] = [];
    const skills = { note: leaf((input: string) => (seen.push(input), done(`noted ${seen.length}`))) };
    const open = (turns: Parameters<typeof createScriptedModel>[0]): RecursiveSkilledAgent =>
      agentWith(skills, { models: createScriptedModel(turns), store: files.at('runs.db') });
    {
      await using agent = open([{ calls: [call('note', { input: 'first' })] }, 'One.']);
      await agent.run({ prompt: 'Go.', toAssistant: true, ...talk }).result;
    }
    const model = [
      { calls: [call('note', { input: 'Again: $$note-1' })] },
      { calls: [call('note', { input: '$$note-2' })] },
      'Two.',
    ];
    await using agent = open(model);
    assert.equal((await agent.run({ prompt: 'Go on.', toAssistant: true, ...talk }).result).text, 'Two.');
    assert.deepEqual(seen, ['first', 'Again: noted 1', 'noted 2']);
  });

  test('continues after an answer that another skill gave, without names that it cannot resolve', async () => {
    const model = createScriptedModel((_request, turn) =>
      turn === 1 ? { calls: [call('note', { input: 'x' })] } : `Answer ${turn}.`,
    );
    await using agent = agentWith(
      {
        note: leaf(() => done('noted')),
        desk: thinker(['note'], { tier: 'plan' }),
      },
      { models: model },
    );
    await agent.run({ prompt: '/desk Go.', ...talk }).result;
    await agent.run({ prompt: 'And?', toAssistant: true, ...talk }).result;
    const last = model.requests.at(-1);
    assert.deepEqual(rolesOf(last), ['user', 'assistant', 'tool', 'assistant', 'user']);
    assert.equal(last?.messages[2]?.text, 'noted');
  });

  test('summarises on request, and the next turn begins with the summary', async () => {
    const model = createScriptedModel(['One.', 'Two.', 'They counted to two.', 'Three.']);
    await using agent = agentWith({}, { models: model });
    for (const prompt of ['Count.', 'Go on.']) await agent.run({ prompt, ...talk }).result;
    assert.match((await agent.session('s').compact().result).text, /up to turn 1/);
    await agent.run({ prompt: 'Go on.', ...talk }).result;
    const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    assert.match(texts[0] ?? '', /They counted to two\./);
    assert.deepEqual(texts.slice(1), ['Go on.', 'Two.', 'Go on.']);
  });

  test('takes a prompt with a slash as text, if it is addressed', async () => {
    const model = createScriptedModel(['Hello.']);
    await using agent = agentWith({}, { models: model });
    const { text } = await agent.run({ prompt: '/nothing at all', toAssistant: true, ...talk }).result;
    assert.equal(text, 'Hello.');
    assert.equal(model.requests[0]?.messages.at(-1)?.text, '/nothing at all');
  });

  test('redirects only a run of the same session', async () => {
    await using agent = agentWith(
      { note: leaf(() => done('noted')) },
      { models: createScriptedModel(['Hello.']) },
    );
    const { runId } = await agent.run({ prompt: 'Hello?', toAssistant: true, ...talk }).result;
    await assert.rejects(agent.session('other').redirect(runId, 'note'), { code: 'usage.bad-input' });
    const handle = await agent.session('s').redirect(runId, 'note');
    assert.equal((await handle.result).text, 'noted');
  });

  test('takes pictures, and refuses what is not one', async () => {
    const model = createScriptedModel(['Red.']);
    await using agent = agentWith({}, { models: model });
    const data = Buffer.from(picture).toString('base64');
    const image = { name: 'a.png', mediaType: 'image/png', data };
    await agent.run({ prompt: 'Which colour?', attachments: [image], ...talk }).result;
    const [message] = model.requests[0]?.messages ?? [];
    assert.equal(message?.role === 'user' ? message.attachments?.[0]?.data : undefined, data);
    for (const wrong of [{ ...image, mediaType: 'image/tiff' }, { ...image, data: '<svg>' }, null, 'a.png']) {
      const result = await agent.run({ prompt: 'Which?', attachments: [wrong as never], ...talk }).result;
      assert.equal(codeOf(result), 'usage.bad-input');
    }
    const large = { ...image, data: 'A'.repeat(7_000_000) };
    assert.equal(
      codeOf(await agent.run({ prompt: 'Which?', attachments: [large], ...talk }).result),
      'limit.too-large',
    );
  });
});
