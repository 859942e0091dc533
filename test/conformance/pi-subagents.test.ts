import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecursiveSkilledAgent, type AgentOptions, type ModelRequest, type Skill } from '../../src/index.ts';
import type { Script } from '../../src/testing/index.ts';
import { tree } from '../support/tree.ts';
import { skill } from './skill-text.ts';
import { stage, runSkill, toolNames, toolTexts } from './stage.ts';

// Cases 23 to 33 and 37 to 40 of pi: the skills of subagents. Each title starts with the number of its case.
// Not supported: .pi folders, settings with paths of skills, packages from npm and git (28), a second working
// folder (29),
// the skill of the extension itself (33), the forms of an argument that selects skills for one call (39).

/** Returns the skills that an agent finds in a folder with these files, without those of the package. */
function find(written: Readonly<Record<string, string>>, options: AgentOptions = {}): readonly Skill[] {
  using files = tree(written);
  const agent = new RecursiveSkilledAgent({
    startDir: files.path,
    searchUpwards: false,
    embeddings: false,
    ...options,
  });
  return agent.skills.list().filter(({ source }) => source !== 'bundled');
}

const summaryOf = (skills: readonly Skill[]): readonly string[] =>
  skills.map(({ name, source, status }) => `${name} ${source} ${status}`);

describe('discovery', () => {
  test('23: a skill in a group of the project is found by its own name', () => {
    assert.deepEqual(summaryOf(find({ '.agents/skills/shell/x/SKILL.md': skill('x') })), ['x project ready']);
  });

  test('24: nothing below a skill is found, its neighbour is', () => {
    const skills = find({
      '.agents/skills/anchor/SKILL.md': skill('anchor'),
      '.agents/skills/anchor/nested/SKILL.md': skill('nested'),
      '.agents/skills/sibling/SKILL.md': skill('sibling'),
    });
    assert.deepEqual(summaryOf(skills), ['anchor project ready', 'sibling project ready']);
  });

  test('25: hidden folders and node_modules are passed over', () => {
    const skills = find({
      '.agents/skills/.hidden/a/SKILL.md': skill('a'),
      '.agents/skills/node_modules/b/SKILL.md': skill('b'),
    });
    assert.deepEqual(skills, []);
  });

  test('26: a folder that is named, inside of one that is walked anyway, counts as named', () => {
    const skills = find(
      {
        'skills/group/loose.md': skill('loose'),
        'skills/group/deep/nested/SKILL.md': skill('nested'),
        'skills/other/SKILL.md': skill('other'),
      },
      { additionalSkillRoots: ['skills/group'] },
    );
    assert.deepEqual(summaryOf(skills), [
      'loose explicit ready',
      'nested explicit ready',
      'other project ready',
    ]);
  });

  const plugin = {
    'plugin/package.json': '{"skilled": {"skills": ["./skills"]}}',
    'plugin/skills/subject/SKILL.md': skill('subject'),
  };

  test('27: a folder that is named and a plugin’s counts as named', () => {
    const skills = find(plugin, { plugins: ['./plugin'], additionalSkillRoots: ['plugin/skills'] });
    assert.deepEqual(summaryOf(skills), ['subject explicit ready']);
  });

  test('28: the project goes before a plugin', () => {
    const skills = find(
      { ...plugin, '.agents/skills/subject/SKILL.md': skill('subject') },
      { plugins: ['./plugin'] },
    );
    assert.deepEqual(summaryOf(skills).toSorted(), ['subject plugin shadowed', 'subject project ready']);
  });

  // pi stops if the settings cannot be read. Here, that is an issue, and the skills are available.
  test('32: broken settings are a finding that names the file', async () => {
    using files = tree({ '.skilled/settings.json': '{"skills": nope', 'skills/a/SKILL.md': skill('a') });
    const agent = new RecursiveSkilledAgent({ startDir: files.path, embeddings: false, settings: true });
    assert.equal(agent.skills.get('a')?.status, 'ready');
    const broken = agent.skills.diagnostics().find(({ code }) => code === 'settings.invalid');
    assert.equal(broken?.file, files.at('.skilled/settings.json'));
  });
});

/** Returns the text of a subagent file. */
function subagent(name: string, head = '', body = `I am ${name}.`): string {
  return `---\nname: ${name}\ndescription: Helps with ${name}.\n${head}---\n\n${body}\n`;
}

/** Returns the first request to a subagent's model. */
async function firstAsked(
  head: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ModelRequest | undefined> {
  await using on = stage({ ...files, '.agents/agents/helper.md': subagent('helper', head) }, ['Done.']);
  const { result } = await runSkill(on, { skill: 'helper', input: 'Do this.' });
  assert.equal(result.text, 'Done.', JSON.stringify(result.error));
  return on.model.requests[0];
}

const shared = {
  '.agents/skills/tmux/SKILL.md': skill('tmux', 'Everybody’s body.'),
  '.agents/skills/other/SKILL.md': skill('other', 'Another body.'),
};

describe('skills of their own', () => {
  for (const [row, path] of [
    ['a file', '../own/tmux.md'],
    ['a folder', '../own'],
  ] as const) {
    test(`30: ${row} beside the agent goes first, and no one else sees it`, async () => {
      const files = { ...shared, '.agents/own/tmux.md': skill('tmux', 'My own body.') };
      const asked = await firstAsked(`skills: tmux\nskillPath: ${path}\n`, files);
      assert.match(asked?.system ?? '', /My own body/);
      assert.doesNotMatch(asked?.system ?? '', /Everybody’s/);
      const listed = find(files).filter(({ name }) => name === 'tmux');
      assert.deepEqual(
        listed.map(({ file }) => file.includes('.agents/skills/tmux')),
        [true],
      );
    });
  }

  test('31: without one of its own, it gets everybody’s', async () => {
    const asked = await firstAsked('skills: tmux\nskillPath: absent\n', shared);
    assert.match(asked?.system ?? '', /Everybody’s body/);
  });

  test('31: two agents with skills of one name get each their own', async () => {
    const bodies = { one: 'Body one.', two: 'Body two.' };
    await using on = stage(
      Object.fromEntries(
        Object.entries(bodies).flatMap(([name, body]) => [
          [`.agents/agents/${name}.md`, subagent(name, `skills: tmux\nskillPath: ${name}-skills\n`)],
          [`.agents/agents/${name}-skills/tmux/SKILL.md`, skill('tmux', body)],
        ]),
      ),
      ['Done.', 'Done.'],
    );
    for (const [index, [name, body]] of Object.entries(bodies).entries()) {
      const { result } = await runSkill(on, { skill: name, input: 'Go.' });
      assert.equal(result.text, 'Done.', JSON.stringify(result.error));
      assert.ok(on.model.requests[index]?.system?.includes(body));
    }
  });

  // pi warns and continues. Here, an unavailable skill is an error before the model is asked.
  test('33: a skill that cannot be found fails before the model is asked', async () => {
    await using on = stage({ '.agents/agents/helper.md': subagent('helper', 'skills: absent\n') }, ['Done.']);
    const { result } = await runSkill(on, { skill: 'helper', input: 'Go.' });
    assert.equal(result.error?.code, 'skill.not-found');
    assert.equal(on.model.requests.length, 0);
  });
});

describe('what a subagent is given', () => {
  test('37: without inheritSkills it sees its own list and no other skill', async () => {
    const asked = await firstAsked('skills: tmux\nskillInjection: light\n', shared);
    assert.match(asked?.system ?? '', /<name>tmux<\/name>/);
    assert.doesNotMatch(JSON.stringify(asked), /Does other/);
    assert.ok(!toolNames(asked).includes('skill'));
  });

  test('37: with it, it is offered the catalog', async () => {
    const asked = await firstAsked('inheritSkills: true\n', shared);
    assert.match(asked?.tools?.find(({ name }) => name === 'skill')?.description ?? '', /Does other/);
  });

  test('38: light skills add read to a list of tools', async () => {
    const asked = await firstAsked('tools: bash\nskills: tmux\nskillInjection: light\n', shared);
    assert.deepEqual(toolNames(asked).toSorted(), ['bash', 'bash-kill', 'bash-output', 'read']);
  });

  for (const [row, tools] of [
    ['an empty list', 'tools: []\n'],
    ['a list that excludes it', 'tools: bash\nexcludeTools: read\n'],
  ] as const) {
    // pi lists skills that cannot be read.
    test(`38: ${row} and light skills are refused before the model is asked`, async () => {
      const head = `${tools}skills: tmux\nskillInjection: light\n`;
      await using on = stage({ ...shared, '.agents/agents/helper.md': subagent('helper', head) }, ['Done.']);
      const { result } = await runSkill(on, { skill: 'helper', input: 'Go.' });
      assert.equal(result.error?.code, 'skill.invalid');
      assert.match(`${result.error.message} ${result.error.hint ?? ''}`, /read/);
      assert.equal(on.model.requests.length, 0);
    });
  }

  test('38: a list with read stays as it is', async () => {
    const asked = await firstAsked('tools: read, bash\nskills: tmux\nskillInjection: light\n', shared);
    assert.deepEqual(toolNames(asked).toSorted(), ['bash', 'bash-kill', 'bash-output', 'read']);
  });

  for (const [row, head] of [
    ['words with commas', 'skills: tmux, other\n'],
    ['a YAML list', 'skills: [tmux, other]\n'],
    ['a name twice', 'skills: tmux,other,tmux\n'],
  ] as const) {
    test(`39: skills as ${row}`, async () => {
      const { system = '' } = (await firstAsked(head, shared)) ?? {};
      assert.deepEqual(
        [...system.matchAll(/<skill name="(\w+)">/g)].map(([, name]) => name),
        ['tmux', 'other'],
      );
    });
  }

  test('40: unless it says more, it has its own text and nothing of the project', async () => {
    const asked = await firstAsked('', { ...shared, 'AGENTS.md': 'Orders of the project.' });
    assert.match(asked?.system ?? '', /^I am helper\./);
    assert.deepEqual(
      asked?.messages.map(({ text }) => text),
      ['Do this.'],
    );
    assert.doesNotMatch(JSON.stringify(asked), /Orders|Everybody/);
  });
});

/** Each subagent of the chain calls the next one if it is offered. */
const descend: Script = (request) => {
  const own = /I am (\w)\./.exec(request.system ?? '')?.[1] ?? '';
  const next = String.fromCharCode(own.charCodeAt(0) + 1);
  if (toolTexts(request).length > 0 || !toolNames(request).includes(next)) return `${own} is done.`;
  return { calls: [{ name: next, input: { input: 'Go on.' }, id: `call-of-${own}` }] };
};

describe('40: how deep subagents go', () => {
  const rows: readonly [string, readonly (number | undefined)[], readonly string[]][] = [
    ['none below one that allows none', [0, undefined, undefined], ['a']],
    ['one below one that allows one', [1, undefined, undefined], ['a', 'b']],
    ['two below one that allows two', [2, undefined, undefined, undefined], ['a', 'b', 'c']],
    ['the tighter bound of agent and caller counts', [1, 5, undefined], ['a', 'b']],
    ['an agent can tighten what its caller allows', [5, 0, undefined], ['a', 'b']],
  ];
  for (const [row, bounds, called] of rows) {
    test(row, async () => {
      const files = bounds.map((bound, index): [string, string] => {
        const name = String.fromCharCode(97 + index);
        const head = bound === undefined ? '' : `maxSubagentDepth: ${bound}\n`;
        return [`.agents/agents/${name}.md`, subagent(name, head)];
      });
      await using on = stage(Object.fromEntries(files), descend);
      const recorded = await runSkill(on, { skill: 'a', input: 'Go.' });
      assert.equal(recorded.result.text, 'a is done.', JSON.stringify(recorded.result.error));
      assert.deepEqual(recorded.called, called);
    });
  }
});
