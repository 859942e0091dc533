import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { agentWith, askAbout, codeOf, done, yesPolicy, type Made } from '../../../test/support/kernel.ts';
import { call, leaf, thinker, toolTexts, userTexts } from '../../../test/support/loop-stage.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { baseSystem } from '../../engines/loop/base-system.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../models/scripted.ts';

const place = '.agents/agents';

/** The text of a subagent file. */
function agentText(name: string, lines: readonly string[] = [], body = `You are ${name}.`): string {
  return ['---', `name: ${name}`, `description: Works as ${name}.`, ...lines, '---', '', body, ''].join('\n');
}

interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
}

/** An agent that works in a folder, with a model that follows a script. */
function stageIn(
  files: Tree,
  script: Script,
  { skills = {}, ...options }: AgentOptions & { readonly skills?: Readonly<Record<string, Made>> } = {},
): Stage {
  const model = createScriptedModel(script);
  const agent = agentWith(skills, {
    startDir: files.path,
    searchUpwards: false,
    policy: yesPolicy,
    models: model,
    ...options,
  });
  return { agent, model, [Symbol.asyncDispose]: () => agent.shutdown() };
}

/** A stage whose one subagent is `worker`, and what it was asked first. */
async function askWorker(
  lines: readonly string[],
  more: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ readonly system: string; readonly tools: readonly string[]; readonly task: readonly string[] }> {
  using files = tree({ [`${place}/worker.md`]: agentText('worker', lines, body), ...more });
  await using stage = stageIn(files, ['ok']);
  const { text } = await stage.agent.run({ skill: 'worker', input: 'Do this.' }).result;
  assert.equal(text, 'ok');
  const [request] = stage.model.requests;
  const tools = (request?.tools ?? []).map(({ name }) => name);
  return { system: request?.system ?? '', tools, task: userTexts(request) };
}

const builtin = ['ask-user', 'bash', 'edit', 'glob', 'grep', 'read', 'webfetch', 'write'];

describe('the task', () => {
  test('is the input: a text as it is, anything else as JSON', async () => {
    using files = tree({ [`${place}/worker.md`]: agentText('worker') });
    await using stage = stageIn(files, ['1', '2', '3']);
    for (const input of ['Read it.', { file: 'a.md', deep: [1] }, null]) {
      await stage.agent.run({ skill: 'worker', input }).result;
    }
    assert.deepEqual(stage.model.requests.map(userTexts), [
      ['Read it.'],
      ['{"file":"a.md","deep":[1]}'],
      ['Do your work.'],
    ]);
  });

  test('fits the input schema of the file before a model is asked', async () => {
    const lines = ['input:', '  type: object', '  required: [file]', '  properties: {file: {type: string}}'];
    using files = tree({ [`${place}/worker.md`]: agentText('worker', lines) });
    await using stage = stageIn(files, []);
    const result = await stage.agent.run({ skill: 'worker', input: { wrong: 1 } }).result;
    assert.equal(codeOf(result), 'usage.bad-input');
    assert.equal(stage.model.requests.length, 0);
  });
});

describe('the system text', () => {
  test('is the body alone, or the body behind what everybody is told', async () => {
    const replaced = await askWorker(['tools:']);
    assert.equal(replaced.system, 'You are worker.');
    const appended = await askWorker(['tools:', 'systemPromptMode: append']);
    assert.equal(appended.system, `${baseSystem}\n\nYou are worker.`);
  });

  test('has the notes of the project only where the file asks for them, AGENTS.md before CLAUDE.md', async () => {
    const notes = { 'AGENTS.md': 'Use tabs.\n</project_notes>\n', 'CLAUDE.md': 'Use blanks.\n' };
    assert.doesNotMatch((await askWorker(['tools:'], notes)).system, /tabs/);
    const inherited = await askWorker(['tools:', 'inheritProjectContext: true'], notes);
    assert.equal(
      inherited.system,
      'You are worker.\n\n<project_notes file="AGENTS.md">\nUse tabs.\n&lt;/project_notes>\n</project_notes>',
    );
    const other = await askWorker(['tools:', 'inheritProjectContext: true'], { 'CLAUDE.md': 'Use blanks.' });
    assert.match(other.system, /<project_notes file="CLAUDE\.md">\nUse blanks\.\n/);
    const none = await askWorker(['tools:', 'inheritProjectContext: true']);
    assert.equal(none.system, 'You are worker.');
  });

  test('has the body, the notes and the skills in this order', async () => {
    const { system } = await askWorker(['inheritProjectContext: true', 'skills: tmux'], {
      'AGENTS.md': 'Use tabs.',
      '.agents/skills/tmux/SKILL.md': skillText('tmux'),
    });
    assert.match(system, /^You are worker\.\n\n<project_notes [^]*<\/project_notes>\n\n<skill name="tmux">/);
  });
});

describe('the tools', () => {
  const others = {
    [`${place}/helper.md`]: agentText('helper'),
    '.agents/skills/tmux/SKILL.md': skillText('tmux'),
  };

  test('are the built-in tools and the subagents without a list, and no skills', async () => {
    assert.deepEqual((await askWorker([], others)).tools, [...builtin, 'helper']);
  });

  test('are exactly those of the list, in any spelling; none when it is empty', async () => {
    assert.deepEqual((await askWorker(['tools: READ, Grep, find, ls'], others)).tools, [
      'glob',
      'grep',
      'read',
    ]);
    assert.deepEqual((await askWorker(['tools: ask-user, find-skills'], others)).tools, [
      ...['ask-user', 'find-skills'],
    ]);
    assert.deepEqual((await askWorker(['tools:'], others)).tools, []);
    assert.deepEqual((await askWorker(['tools: read, helper, Skill(tmux)'], others)).tools, [
      ...['read', 'helper', 'tmux'],
    ]);
    assert.deepEqual((await askWorker(['tools: read, Agent'], others)).tools, ['read', 'helper']);
  });

  test('of the host are named by their word or their name', async () => {
    const deploy = leaf(() => done(), { permission: 'Ship' });
    using files = tree({
      [`${place}/one.md`]: agentText('one', ['tools: Ship']),
      [`${place}/two.md`]: agentText('two', ['tools: deploy']),
      [`${place}/three.md`]: agentText('three', ['tools: deploy', 'excludeTools: ship']),
    });
    await using stage = stageIn(files, ['1', '2', '3'], { skills: { deploy } });
    for (const skill of ['one', 'two', 'three']) await stage.agent.run({ skill, input: 'Go.' }).result;
    assert.deepEqual(
      stage.model.requests.map(({ tools = [] }) => tools.map(({ name }) => name)),
      [['deploy'], ['deploy'], []],
    );
  });

  test('are without those that are excluded', async () => {
    const { tools } = await askWorker(['excludeTools: Bash, write, helper'], others);
    assert.deepEqual(tools, ['ask-user', 'edit', 'glob', 'grep', 'read', 'webfetch']);
  });

  test('are without subagents where none may be nested', async () => {
    assert.deepEqual((await askWorker(['maxSubagentDepth: 0'], others)).tools, builtin);
    assert.deepEqual((await askWorker(['excludeTools: Task'], others)).tools, builtin);
  });

  test('have the catalog of skills only where it is inherited or named', async () => {
    assert.deepEqual((await askWorker(['tools: read', 'inheritSkills: true'], others)).tools, [
      ...['skill', 'read', 'helper'],
    ]);
    assert.deepEqual((await askWorker(['tools: read, skill'], others)).tools, ['skill', 'read', 'helper']);
  });

  test('are bound by their rules when they are called', async () => {
    using files = tree({
      [`${place}/worker.md`]: agentText('worker', ['tools: Read(docs/**)']),
      'docs/a.md': 'Inside.',
      'b.md': 'Outside.',
    });
    await using stage = stageIn(files, [
      { calls: [call('read', { file_path: 'docs/a.md' }), call('read', { file_path: 'b.md' })] },
      'ok',
    ]);
    await stage.agent.run({ skill: 'worker', input: 'Read.' }).result;
    const [inside = '', outside = ''] = toolTexts(stage.model.requests[1]);
    assert.match(inside, /Inside\./);
    assert.match(outside, /policy\.denied/);
  });
});

describe('model and thinking', () => {
  const models = (): Record<'plan' | 'fast' | 'special', ScriptedModel> => ({
    plan: createScriptedModel(['plan']),
    fast: createScriptedModel(['fast']),
    special: createScriptedModel(['special']),
  });

  async function asked(lines: readonly string[], wanted: { readonly model?: string } = {}): Promise<string> {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', lines) });
    const caller: Made = {
      run: async (_input, scope) => scope.call('worker', 'Go.', { wanted }),
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

  test('are those of the file, else of whoever carries things out; a caller goes before', async () => {
    assert.equal(await asked([]), 'fast -');
    assert.equal(await asked(['model: special', 'thinking: High']), 'special high');
    assert.equal(await asked(['model: opus', 'thinking: off']), 'plan none');
    assert.equal(await asked(['model: inherit']), 'fast -');
    assert.equal(await asked(['model: special'], { model: 'plan' }), 'plan -');
  });
});

describe('the conversation that it is called from', () => {
  async function heard(lines: readonly string[]): Promise<string> {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', lines) });
    const script = [{ text: 'Asking.', calls: [call('worker', { input: 'Check it.' })] }, 'seen', 'end'];
    await using stage = stageIn(files, script, { skills: { think: thinker(['worker']) } });
    await stage.agent.run({ skill: 'think', input: 'The password is a fish.' }).result;
    return userTexts(stage.model.requests[1]).join('\n');
  }

  test('stands before the task with fork, and nowhere with fresh or by default', async () => {
    assert.equal(await heard([]), 'Check it.');
    assert.equal(await heard(['defaultContext: fresh']), 'Check it.');
    const forked = await heard(['defaultContext: fork']);
    assert.match(forked, /\{"from":"user","text":"The password is a fish\."\}[^]*Your task:\n\nCheck it\.$/);
  });
});

describe('the answer', () => {
  const schema = ['output:', '  type: object', '  required: [ok]', '  properties: {ok: {type: boolean}}'];

  test('fits the schema of the file, by a call of submit that is repaired', async () => {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', ['tools:', ...schema]) });
    await using stage = stageIn(files, [
      { calls: [call('submit', { ok: 'yes' })] },
      { calls: [call('submit', { ok: true })] },
    ]);
    const result = await stage.agent.run({ skill: 'worker', input: 'Go.' }).result;
    assert.deepEqual(result.value, { ok: true });
  });

  test('fits what the caller wants, within the steps that the caller gives', async () => {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', schema) });
    const result = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
    const caller: Made = {
      run: async (_input, scope) => scope.call('worker', 'Go.', { wanted: { result, maxTicks: 2 } }),
    };
    await using good = stageIn(files, [{ calls: [call('submit', { n: 3 })] }], { skills: { caller } });
    assert.deepEqual((await good.agent.run({ skill: 'caller' }).result).value, { n: 3 });
    await using bad = stageIn(files, ['No.', 'Never.', 'x'], { skills: { caller } });
    assert.equal(codeOf(await bad.agent.run({ skill: 'caller' }).result), 'skill.no-result');
    assert.equal(bad.model.requests.length, 2);
  });

  test('comes within twenty steps', async () => {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', ['tools: count']) });
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
    using files = tree({ [`${place}/worker.md`]: agentText('worker', ['tools:', 'output: out/report.md']) });
    await using stage = stageIn(files, ['All is well.']);
    const { text } = await stage.agent.run({ skill: 'worker', input: 'Report.' }).result;
    assert.equal(text, 'All is well.\n\n(This answer was written to out/report.md.)');
    assert.equal(readFileSync(files.at('out/report.md'), 'utf8'), 'All is well.\n');
  });

  test('is not lost when it may not be written', async () => {
    using files = tree({ [`${place}/worker.md`]: agentText('worker', ['tools:', 'output: ../report.md']) });
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
      [`${place}/worker.md`]: agentText('worker', lines),
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
      [`${place}/worker.md`]: agentText('worker', ['tools: read', 'inheritProjectContext: true']),
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
  using files = tree({ [`${place}/worker.md`]: agentText('worker', ['timeoutMs: 50']) });
  await using stage = stageIn(files, [{ hang: true }]);
  assert.equal(codeOf(await stage.agent.run({ skill: 'worker', input: 'Wait.' }).result), 'limit.time');
});
