import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { tree } from '../../test/support/tree.ts';
import { defineSkill } from '../core/define-skill.ts';
import { createScriptedModel } from '../testing/index.ts';
import { createAgent } from './create-agent.ts';

const greet = defineSkill({ name: 'greet', description: 'Greets.', run: () => 'Hello.' });

describe('createAgent', () => {
  test('registers skills, and can disable and enable them', async () => {
    await using agent = createAgent({ offline: true, embeddings: false, skills: [greet] });
    assert.equal(await agent.session().skill('greet'), 'Hello.');
    agent.skills.disable('greet');
    assert.equal(agent.skills.resolve('greet').status, 'unavailable');
    await assert.rejects(agent.session().skill('greet'), { code: 'skill.unavailable' });
    assert.ok(!(await agent.skills.catalog()).text.includes('greet'));
    agent.skills.enable('greet');
    assert.equal(await agent.session().skill('greet'), 'Hello.');
    assert.throws(
      () => {
        agent.skills.disable('nobody');
      },
      { code: 'skill.not-found' },
    );
  });

  test('with instructions answers what needs no skill, and remembers the conversation', async () => {
    const models = createScriptedModel(['A rye loaf keeps for a week.', 'Yes.']);
    await using agent = createAgent({ models, embeddings: false, instructions: 'You know bread.' });
    const { text } = await agent.executePrompt('How long does rye keep?');
    assert.equal(text, 'A rye loaf keeps for a week.');
    assert.match(models.requests[0]?.system ?? '', /^You know bread\./);
    assert.equal(await agent.session().prompt('Really?'), 'Yes.');
    assert.deepEqual(
      models.requests[1]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
  });

  test('without instructions says that no skill fits', async () => {
    const models = createScriptedModel([]);
    await using agent = createAgent({ models, embeddings: false, exposeInternalSkills: false });
    assert.equal((await agent.executePrompt('How long does rye keep?')).ok, false);
    assert.equal(models.requests.length, 0);
  });

  test('refuses a server that is neither a program nor an address', () => {
    for (const entry of [{}, { command: 'a', url: 'http://b' }, 7])
      assert.throws(() => createAgent({ mcpServers: { notices: entry as never } }), {
        code: 'usage.bad-input',
      });
  });
});

const script =
  '---\nname: count\ndescription: Counts.\nallowed-tools: Bash(sh *)\n---\n\nThere are !`sh ${CLAUDE_SKILL_DIR}/scripts/count.sh` files.\n';

describe('the trust of a program in its project', { skip: withoutBubblewrap }, () => {
  test('does not cover a skill that a run changed before its first use', async () => {
    using files = tree({
      'skills/count/SKILL.md': script,
      'skills/count/scripts/count.sh': 'echo 3\n',
    });
    await using agent = createAgent({
      startDir: files.path,
      searchUpwards: false,
      embeddings: false,
      offline: true,
      trust: 'project',
      permissions: { allow: ['Bash'] },
    });
    const command = 'echo echo more >> skills/count/scripts/count.sh';
    assert.equal((await agent.session().shell(command)).exitCode, 0);
    assert.equal((await agent.run({ skill: 'count', mode: 'load' }).result).status, 'waiting');
  });

  test('covers the skills as they are before the first call', async () => {
    using files = tree({
      '.agents/skills/count/SKILL.md': script,
      '.agents/skills/count/scripts/count.sh': 'echo 3\n',
    });
    const common = { startDir: files.path, searchUpwards: false, embeddings: false, offline: true };
    const load = { skill: 'count', mode: 'load' } as const;
    await using careful = createAgent(common);
    assert.equal((await careful.run(load).result).status, 'waiting');
    await using agent = createAgent({ ...common, trust: 'project' });
    const first = await agent.run(load).result;
    assert.equal(first.status, 'done', JSON.stringify(first.error));
    assert.match(first.text, /There are 3 files/);
    appendFileSync(files.at('.agents/skills/count/scripts/count.sh'), 'echo more\n');
    assert.equal((await agent.run(load).result).status, 'waiting');
  });

  test('does not cover the skills of users and plugins', async () => {
    using files = tree({
      'more/count/SKILL.md': script,
      'more/count/scripts/count.sh': 'echo 3\n',
      'plugin/package.json': '{"skilled": {"skills": ["./skills"]}}',
      'plugin/skills/other/SKILL.md': script.replace('name: count', 'name: other'),
      'plugin/skills/other/scripts/count.sh': 'echo 4\n',
    });
    await using agent = createAgent({
      startDir: files.path,
      searchUpwards: false,
      embeddings: false,
      offline: true,
      trust: 'project',
      plugins: [files.at('plugin')],
    });
    assert.equal((await agent.run({ skill: 'other', mode: 'load' }).result).status, 'waiting');
  });
});
