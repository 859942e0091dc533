import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeOf, done } from '../../../test/support/kernel.ts';
import { call, leaf, toolTexts, userTexts } from '../../../test/support/loop-stage.ts';
import { stageIn, subagentFile, subagentText } from '../../../test/support/subagent-stage.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { baseSystem } from '../../engines/loop/prompt.ts';

/** Runs the only subagent, `worker`, and returns its first request. */
async function askWorker(
  lines: readonly string[],
  more: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<{ readonly system: string; readonly tools: readonly string[]; readonly task: readonly string[] }> {
  using files = tree({ [subagentFile('worker')]: subagentText('worker', lines, body), ...more });
  await using stage = stageIn(files, ['ok']);
  const { text } = await stage.agent.run({ skill: 'worker', input: 'Do this.' }).result;
  assert.equal(text, 'ok');
  const [request] = stage.model.requests;
  const tools = (request?.tools ?? []).map(({ name }) => name);
  return { system: request?.system ?? '', tools, task: userTexts(request) };
}

const builtin = [
  ...[
    'ask-user',
    'bash',
    'bash-kill',
    'bash-output',
    'edit',
    'glob',
    'grep',
    'read',
    'todo',
    'webfetch',
    'write',
  ],
];

describe('the task', () => {
  test('is the input: a text as it is, anything else as JSON', async () => {
    using files = tree({ [subagentFile('worker')]: subagentText('worker') });
    await using stage = stageIn(files, ['1', '2', '3']);
    for (const input of ['Read it.', { file: 'a.md', deep: [1] }, null]) {
      await stage.agent.run({ skill: 'worker', input }).result;
    }
    assert.deepEqual(stage.model.requests.map(userTexts), [
      ['Read it.'],
      ['{"file":"a.md","deep":[1]}'],
      ['Do your task.'],
    ]);
  });

  test('fits the input schema of the file before a model is asked', async () => {
    const lines = ['input:', '  type: object', '  required: [file]', '  properties: {file: {type: string}}'];
    using files = tree({ [subagentFile('worker')]: subagentText('worker', lines) });
    await using stage = stageIn(files, []);
    const result = await stage.agent.run({ skill: 'worker', input: { wrong: 1 } }).result;
    assert.equal(codeOf(result), 'usage.bad-input');
    assert.equal(stage.model.requests.length, 0);
  });
});

describe('the system text', () => {
  test('is the body alone, or the body after the common text', async () => {
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
    [subagentFile('helper')]: subagentText('helper'),
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
      [subagentFile('one')]: subagentText('one', ['tools: Ship']),
      [subagentFile('two')]: subagentText('two', ['tools: deploy']),
      [subagentFile('three')]: subagentText('three', ['tools: deploy', 'excludeTools: ship']),
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
    assert.deepEqual(tools, ['ask-user', 'edit', 'glob', 'grep', 'read', 'todo', 'webfetch']);
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
      [subagentFile('worker')]: subagentText('worker', ['tools: Read(docs/**)']),
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

describe('the names of a subagent', () => {
  test('are its name with its package, and its aliases unless they are the name of another skill', async () => {
    using files = tree({
      [subagentFile('a')]: subagentText('scout', ['package: review', 'aliases: helper, second']),
      [subagentFile('b')]: subagentText('second'),
    });
    await using stage = stageIn(files, Array<string>(5).fill('ok'));
    for (const name of ['review.scout', 'review-scout', 'helper', 'second'])
      await stage.agent.run({ skill: name, input: 'x' }).result;
    assert.deepEqual(
      stage.model.requests.map(({ system }) => system?.split('\n')[0]),
      [...Array<string>(3).fill('You are scout.'), 'You are second.'],
    );
  });
});

describe('a file directly in .agents', () => {
  test('is a subagent, but no file of its folders is', async () => {
    using files = tree({
      '.agents/scout.md': subagentText('scout'),
      '.agents/README.md': '# Our agents\n',
      '.agents/AGENTS.md': subagentText('notes'),
      '.agents/other/deep.md': subagentText('deep'),
      '.agents/skills/report/SKILL.md': skillText('report'),
      '.agents/skills/report/reference.md': subagentText('reference'),
    });
    await using stage = stageIn(files, []);
    const own = stage.agent.skills.list().filter(({ source }) => source === 'project');
    assert.deepEqual(
      own.map(({ name, family }) => [name, family]),
      [
        ['report', 'agent-skill'],
        ['scout', 'subagent'],
      ],
    );
    assert.deepEqual(stage.agent.skills.diagnostics(), []);
  });
});
