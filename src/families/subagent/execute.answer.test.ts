import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  yesPolicy,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { call, leaf, thinker, userTexts } from '../../../test/support/loop-stage.ts';
import { stageIn, subagentFile, subagentText } from '../../../test/support/subagent-stage.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { createScriptedModel, type ScriptedModel } from '../../models/scripted.ts';

describe('model and thinking', () => {
  const models = (): Record<'plan' | 'fast' | 'special', ScriptedModel> => ({
    plan: createScriptedModel(['plan']),
    fast: createScriptedModel(['fast']),
    special: createScriptedModel(['special']),
  });

  async function asked(
    lines: readonly string[],
    overrides: { readonly model?: string } = {},
  ): Promise<string> {
    using files = tree({ [subagentFile('worker')]: subagentText('worker', lines) });
    const caller: TestSkill = {
      run: async (_input, scope) => scope.call('worker', 'Go.', { overrides }),
    };
    const all = models();
    await using agent = agentWith(
      { caller },
      { startDir: files.path, searchUpwards: false, policy: yesPolicy, models: all },
    );
    const { text } = await agent.run({ skill: 'caller' }).result;
    const request = Object.values(all).find(({ requests }) => requests.length > 0)?.requests[0];
    return `${text} ${request?.effort ?? '-'}`;
  }

  test('are those of the file, or else of the executor; those of a caller come first', async () => {
    assert.equal(await asked([]), 'fast -');
    assert.equal(await asked(['model: special', 'thinking: High']), 'special high');
    assert.equal(await asked(['model: opus', 'thinking: off']), 'plan none');
    assert.equal(await asked(['model: inherit']), 'fast -');
    assert.equal(await asked(['model: special'], { model: 'plan' }), 'plan -');
  });

  test('fallbackModels are tried in order if the model fails', async () => {
    const broken = 'model: no-such/model';
    assert.equal(await asked([broken, 'fallbackModels: no-such/other, opus, special']), 'plan -');
    assert.equal(await asked(['model: special', 'fallbackModels: plan']), 'special -');
    assert.equal(await asked(['fallbackModels: plan']), 'fast -');
    assert.equal(await asked(['fallbackModels: plan'], { model: 'no-such/model' }), 'plan -');
  });
});

describe('the conversation that it is called from', () => {
  async function receivedPrompt(lines: readonly string[]): Promise<string> {
    using files = tree({ [subagentFile('worker')]: subagentText('worker', lines) });
    const script = [{ text: 'Asking.', calls: [call('worker', { input: 'Check it.' })] }, 'seen', 'end'];
    await using stage = stageIn(files, script, { skills: { think: thinker(['worker']) } });
    await stage.agent.run({ skill: 'think', input: 'The password is a fish.' }).result;
    return userTexts(stage.model.requests[1]).join('\n');
  }

  test('is before the task with fork, and nowhere with fresh or by default', async () => {
    assert.equal(await receivedPrompt([]), 'Check it.');
    assert.equal(await receivedPrompt(['defaultContext: fresh']), 'Check it.');
    const forked = await receivedPrompt(['defaultContext: fork']);
    assert.match(forked, /\{"from":"user","text":"The password is a fish\."\}[^]*Your task:\n\nCheck it\.$/);
  });
});

describe('the answer', () => {
  const schema = ['output:', '  type: object', '  required: [ok]', '  properties: {ok: {type: boolean}}'];

  test('fits the schema of the file, by a call of submit that is repaired', async () => {
    using files = tree({ [subagentFile('worker')]: subagentText('worker', ['tools:', ...schema]) });
    await using stage = stageIn(files, [
      { calls: [call('submit', { ok: 'yes' })] },
      { calls: [call('submit', { ok: true })] },
    ]);
    const result = await stage.agent.run({ skill: 'worker', input: 'Go.' }).result;
    assert.deepEqual(result.value, { ok: true });
  });

  test('fits what the caller wants, within the steps that the caller gives', async () => {
    using files = tree({ [subagentFile('worker')]: subagentText('worker', schema) });
    const result = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
    const caller: TestSkill = {
      run: async (_input, scope) => scope.call('worker', 'Go.', { overrides: { result, maxTicks: 2 } }),
    };
    await using good = stageIn(files, [{ calls: [call('submit', { n: 3 })] }], { skills: { caller } });
    assert.deepEqual((await good.agent.run({ skill: 'caller' }).result).value, { n: 3 });
    await using bad = stageIn(files, ['No.', 'Never.', 'x'], { skills: { caller } });
    assert.equal(codeOf(await bad.agent.run({ skill: 'caller' }).result), 'skill.no-result');
    assert.equal(bad.model.requests.length, 2);
  });

  test('comes within twenty steps', async () => {
    using files = tree({ [subagentFile('worker')]: subagentText('worker', ['tools: count']) });
    const count = leaf(({ n }: { n: number }) => done(String(n)), { input: z.object({ n: z.number() }) });
    await using stage = stageIn(files, (_request, turn) => ({ calls: [call('count', { n: turn })] }), {
      skills: { count },
      limits: { steps: 100 },
    });
    const result = await stage.agent.run({ skill: 'worker', input: 'Count.' }).result;
    assert.equal(codeOf(result), 'limit.steps');
    assert.equal(stage.model.requests.length, 20);
  });

  test('is written to the file that is meant for it, whatever its tools are', async () => {
    using files = tree({
      [subagentFile('worker')]: subagentText('worker', ['tools:', 'output: out/report.md']),
    });
    await using stage = stageIn(files, ['All is well.']);
    const { text } = await stage.agent.run({ skill: 'worker', input: 'Report.' }).result;
    assert.equal(text, 'All is well.\n\n(This answer was written to out/report.md.)');
    assert.equal(readFileSync(files.at('out/report.md'), 'utf8'), 'All is well.\n');
  });

  test('is not lost when it may not be written', async () => {
    using files = tree({
      [subagentFile('worker')]: subagentText('worker', ['tools:', 'output: ../report.md']),
    });
    await using stage = stageIn(files, ['All is well.']);
    const result = await stage.agent.run({ skill: 'worker', input: 'Report.' }).result;
    assert.equal(result.status, 'failed');
    assert.deepEqual(result.error?.details, { answer: 'All is well.' });
    assert.match(result.error?.message ?? '', /could not be written to \.\.\/report\.md/);
    assert.equal(existsSync(files.at('../report.md')), false);
  });

  test('is written only when the policy lets it, without another word of the model', async () => {
    const lines = ['inheritProjectContext: true', 'skills: tmux', 'output: report.md'];
    using files = tree({
      [subagentFile('worker')]: subagentText('worker', lines),
      '.agents/skills/tmux/SKILL.md': skillText('tmux'),
      'AGENTS.md': 'Use tabs.',
    });
    await using stage = stageIn(files, ['All is well.'], { policy: askAbout('write') });
    const { runs } = stage.agent;
    const { runId, status, question } = await stage.agent.run({ skill: 'worker', input: 'Report.' }).result;
    assert.equal(status, 'waiting');
    assert.equal(existsSync(files.at('report.md')), false);
    await runs.approve(runId, question?.id ?? '', { allow: 'once' });
    assert.equal((await runs.resume(runId).result).status, 'done');
    assert.equal(readFileSync(files.at('report.md'), 'utf8'), 'All is well.\n');
    assert.equal(stage.model.requests.length, 1);
  });
});

describe('settings', () => {
  test('change a subagent without its file', async () => {
    using files = tree({
      [subagentFile('worker')]: subagentText('worker', ['tools: read', 'inheritProjectContext: true']),
      'AGENTS.md': 'Use tabs.',
    });
    const override = { tools: ['grep'], inheritProjectContext: false };
    const settings = { skills: { entries: { worker: { override } } } };
    await using stage = stageIn(files, ['ok'], { settings });
    await stage.agent.run({ skill: 'worker', input: 'Go.' }).result;
    const [request] = stage.model.requests;
    assert.deepEqual(
      request?.tools?.map(({ name }) => name),
      ['grep'],
    );
    assert.equal(request.system?.includes('tabs'), false);
  });
});

test('a time limit ends it', async () => {
  using files = tree({ [subagentFile('worker')]: subagentText('worker', ['timeoutMs: 50']) });
  await using stage = stageIn(files, [{ hang: true }]);
  assert.equal(codeOf(await stage.agent.run({ skill: 'worker', input: 'Wait.' }).result), 'limit.time');
});
