import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeOf } from '../../../test/support/kernel.ts';
import { call, toolTexts } from '../../../test/support/loop-stage.ts';
import { stageIn, subagentFile, subagentText } from '../../../test/support/subagent-stage.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelRequest } from '../../core/model.ts';
import { optional } from '../../core/collections.ts';
import type { RunResult } from '../../core/run.ts';
import type { Script } from '../../models/scripted.ts';

interface Asked {
  readonly result: RunResult;
  readonly requests: readonly ModelRequest[];
  readonly system: string;
  readonly tools: readonly string[];
}

/** Calls the subagent `worker` with these lines of frontmatter. */
async function ask(
  files: Tree,
  lines: readonly string[],
  { script = ['ok'], override }: { readonly script?: Script; readonly override?: JsonObject } = {},
): Promise<Asked> {
  files.write(subagentFile('worker'), subagentText('worker', lines, 'You work.'));
  const settings = override && { skills: { entries: { worker: { override } } } };
  await using stage = stageIn(files, script, optional('settings', settings));
  const result = await stage.agent.run({ skill: 'worker', input: 'Go.' }).result;
  const { requests } = stage.model;
  const [first] = requests;
  const tools = (first?.tools ?? []).map(({ name }) => name);
  return { result, requests, system: first?.system ?? '', tools };
}

const nested = {
  '.agents/skills/shell/safe-bash/SKILL.md': skillText('safe-bash', 'Runs commands with care.'),
  '.agents/skills/shell/deep/tmux/SKILL.md': skillText('tmux', 'Keeps sessions.'),
  '.agents/skills/other/SKILL.md': skillText('other', 'Belongs to somebody else.'),
};

describe('listed skills', () => {
  test('are given by name, description and place, never by their text, in the order of the file', async () => {
    using files = tree(nested);
    const { system } = await ask(files, ['skillInjection: light', 'skills: tmux, safe-bash']);
    assert.match(system, /<name>tmux<\/name>\n {4}<description>Keeps sessions\.<\/description>/);
    assert.ok(system.includes(`<location>${files.at('.agents/skills/shell/deep/tmux/SKILL.md')}</location>`));
    assert.ok(system.indexOf('<name>tmux') < system.indexOf('<name>safe-bash'));
    assert.doesNotMatch(system, /Do it\.|<skill name=|<name>other/);
  });

  test('have names, descriptions and places that cannot end their elements', async () => {
    using files = tree({
      '.agents/skills/a & b/SKILL.md': skillText('amp', '"A & B <c>"'),
    });
    const { system } = await ask(files, ['skillInjection: light', 'skills: amp']);
    assert.match(system, /<description>A &amp; B &lt;c&gt;<\/description>/);
    assert.match(system, /<location>[^<]*a &amp; b\/SKILL\.md<\/location>/);
  });

  test('have descriptions of several lines as one', async () => {
    for (const style of ['|', '|-', '>', '>-']) {
      const description = `${style}\n  Keeps\n  sessions.`;
      using files = tree({ '.agents/skills/tmux/SKILL.md': skillText('tmux', description) });
      const { system } = await ask(files, ['skillInjection: light', 'skills: tmux']);
      assert.match(system, /<description>Keeps sessions\.<\/description>/, style);
    }
  });

  test('can be read wherever they lie, and nothing beside them', async () => {
    using elsewhere = tree({ 'skills/private/SKILL.md': skillText('private', 'Is far away.') });
    using files = tree({ 'pack/private/SKILL.md': skillText('private', 'Is near.') });
    const path = files.at('pack/private/SKILL.md');
    const { result, requests, tools } = await ask(
      files,
      ['skillInjection: light', 'skills: private', 'skillPath: ../../pack', 'tools: bash, read'],
      {
        script: [
          {
            calls: [
              call('read', { file_path: path }),
              call('read', { file_path: elsewhere.at('skills/private/SKILL.md') }),
            ],
          },
          'ok',
        ],
      },
    );
    assert.equal(result.status, 'done');
    assert.deepEqual(tools, ['bash', 'bash-kill', 'bash-output', 'read']);
    const [own = '', other = ''] = toolTexts(requests[1]);
    assert.match(own, /Do it\./);
    assert.doesNotMatch(other, /Do it\./);
  });

  test('are an error before the model is asked when nothing may read them', async () => {
    for (const lines of [['tools:'], ['excludeTools: read']]) {
      using files = tree(nested);
      const { result, requests } = await ask(files, ['skillInjection: light', 'skills: tmux', ...lines]);
      assert.equal(codeOf(result), 'skill.invalid');
      assert.match(result.error?.message ?? '', /worker\.md/);
      assert.match(result.error?.hint ?? '', /read/);
      assert.equal(requests.length, 0);
    }
  });

  test('are an error of its own where the settings give it a list of tools without one to read', async () => {
    using files = tree(nested);
    const lines = ['skillInjection: light', 'skills: tmux', 'tools: read'];
    const { result, requests } = await ask(files, lines, { override: { tools: ['bash'] } });
    assert.equal(codeOf(result), 'skill.invalid');
    assert.match(result.error?.hint ?? '', /^Add read to its tools/);
    assert.equal(requests.length, 0);
    const { tools } = await ask(files, lines, { override: { tools: ['bash', 'read'] } });
    assert.deepEqual(tools, ['bash', 'bash-kill', 'bash-output', 'read']);
  });

  test('come with the tool to read them, where the file lists others', async () => {
    using files = tree(nested);
    const { tools } = await ask(files, ['skillInjection: light', 'skills: tmux', 'tools: bash']);
    assert.deepEqual(tools, ['bash', 'bash-kill', 'bash-output', 'read']);
  });

  test('are none without names: nothing is added, and nothing is needed to read', async () => {
    using files = tree(nested);
    const { system, tools } = await ask(files, ['skillInjection: light', 'tools: bash']);
    assert.doesNotMatch(system, /available_skills|You have these skills/);
    assert.deepEqual(tools, ['bash', 'bash-kill', 'bash-output']);
  });
});

describe('whole skills', () => {
  test('are the usual way: their texts are in the prompt, and no tool is needed', async () => {
    using files = tree(nested);
    const { system, tools } = await ask(files, ['skills: tmux, safe-bash', 'tools:']);
    assert.equal(
      system,
      'You work.\n\n<skill name="tmux">\n# tmux\n\nDo it.\n</skill>\n\n<skill name="safe-bash">\n# safe-bash\n\nDo it.\n</skill>',
    );
    assert.deepEqual(tools, []);
  });

  test('cost more than their list', async () => {
    const body = 'A long line of instructions.\n'.repeat(200);
    using files = tree({ '.agents/skills/tmux/SKILL.md': `${skillText('tmux')}${body}` });
    const full = await ask(files, ['skills: tmux', 'tools: read']);
    const light = await ask(files, ['skills: tmux', 'tools: read', 'skillInjection: light']);
    assert.ok(light.system.length * 5 < full.system.length);
  });
});

describe('the skills of a subagent', () => {
  test('also come when no model may choose them: the file does', async () => {
    using files = tree({
      '.agents/skills/tmux/SKILL.md': skillText('tmux', 'Keeps.', 'disable-model-invocation: true\n'),
    });
    const { system } = await ask(files, ['skills: tmux', 'skillInjection: light']);
    assert.match(system, /<name>tmux<\/name>/);
  });

  test('are looked for at its own places first, and private ones stay private', async () => {
    using files = tree({
      '.agents/skills/tmux/SKILL.md': skillText('tmux', 'For all.'),
      '.agents/agents/own/tmux/SKILL.md': skillText('tmux', 'For one.'),
    });
    const own = await ask(files, ['skills: tmux', 'skillInjection: light', 'skillPath: ./own']);
    assert.match(own.system, /For one\./);
    const shared = await ask(files, ['skills: tmux', 'skillInjection: light']);
    assert.match(shared.system, /For all\./);
  });

  test('that cannot be found are an error before the model is asked', async () => {
    using files = tree(nested);
    for (const how of ['full', 'light']) {
      const { result, requests } = await ask(files, [`skillInjection: ${how}`, 'skills: tmux, nobody']);
      assert.equal(codeOf(result), 'skill.not-found');
      assert.match(result.error?.message ?? '', /"worker" cannot be loaded: .*"nobody"/);
      assert.equal(requests.length, 0);
    }
  });

  test('are kept when the catalog of the host is not inherited', async () => {
    using files = tree(nested);
    const without = await ask(files, ['skills: tmux', 'skillInjection: light']);
    assert.match(without.system, /<name>tmux<\/name>/);
    assert.ok(!without.tools.includes('skill'));
    const withCatalog = await ask(files, ['skills: tmux', 'skillInjection: light', 'inheritSkills: true']);
    const tool = withCatalog.requests[0]?.tools?.find(({ name }) => name === 'skill');
    assert.match(tool?.description ?? '', /<name>other<\/name>/);
  });

  test('can be changed by settings, the way they are given too', async () => {
    using files = tree(nested);
    const { system } = await ask(files, ['skills: tmux'], {
      override: { skills: ['safe-bash'], skillInjection: 'light' },
    });
    assert.match(system, /<name>safe-bash<\/name>/);
    assert.doesNotMatch(system, /tmux|Do it\./);
  });

  test('that settings only list can be read', async () => {
    using files = tree(nested);
    const override = { skillInjection: 'light' };
    const { tools } = await ask(files, ['skills: tmux', 'tools: bash'], { override });
    assert.deepEqual(tools, ['bash', 'bash-kill', 'bash-output', 'read']);
  });
});
