import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { freshDigest } from '../../src/skills/digest/fresh-digest.ts';
import type { SkillRecord } from '../../src/skills/registry/record.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { listed, openProject, reported, skillOf } from './open-project.ts';

// A project of Claude Code: skills, commands, agents, a plugin and a marketplace.

const plugins = ['./plugins/standup', './market'];

describe('a project of Claude Code', () => {
  test('has its skills, commands, agents and plugins under the names that its users know', async () => {
    await using project = await openProject('claude-code', { plugins });
    assert.deepEqual(listed(project), [
      'plugin agent-skill standup:summary',
      'plugin agent-skill standup:today',
      'plugin agent-skill tables:align',
      'plugin subagent standup:note-taker',
      'project agent-skill changelog',
      'project agent-skill docs:outline',
      'project agent-skill fix-issue',
      'project agent-skill prices',
      'project subagent reviewer',
      'user agent-skill personal-style',
      'user agent-skill weather',
    ]);
  });

  test('is reported where something is read and not acted on', async () => {
    await using project = await openProject('claude-code', { plugins });
    assert.deepEqual(reported(project), [
      'hook.unused project/plugins/standup/hooks/hooks.json',
      'list.unavailable-tool project/.claude/skills/changelog/SKILL.md',
      'plugin.unusable project/market/.claude-plugin/marketplace.json',
      'subagent.tool project/.claude/agents/reviewer.md',
    ]);
  });

  test('fills a command from $1, and a skill from $0', async () => {
    await using project = await openProject('claude-code');
    const { text } = project.agent.render('fix-issue', { args: '7 high' });
    assert.match(text, /^Fix issue #7\. Its priority is high\.$/m);
    assert.match(text, /`gh issue view 7`/);
    assert.match(project.agent.render('changelog', { args: 'v1.2' }).text, /^Commits since v1\.2:$/m);
  });

  test('fills in the folders of skills and plugins', async () => {
    await using project = await openProject('claude-code', { plugins });
    const { agent, files } = project;
    const links = files.at('project/.claude/skills/changelog/scripts/links.sh');
    assert.ok(agent.render('changelog', {}).text.includes(`\`${links}\``));
    const template = files.at('project/plugins/standup/template.md');
    assert.ok(agent.render('standup:summary', {}).text.includes(`\`${template}\``));
    assert.ok(agent.render('standup:today', { args: 'Be brief.' }).text.includes(`${template}. Be brief.`));
  });

  test(
    'runs the scripts of a plugin, which see the rest of the plugin',
    { skip: withoutBubblewrap },
    async () => {
      await using project = await openProject('claude-code', { plugins: ['~/standup'] }, [], 'standup');
      const { agent, files } = project;
      files.write('home/standup/.env', 'TOKEN=never-shown');
      for (const skill of ['standup:summary', 'standup:today']) {
        const run = await agent.run({ skill, mode: 'load' }).result;
        assert.equal(run.status, 'done', JSON.stringify(run.error));
        assert.match(run.text, /# Notes in standup/, skill);
        assert.doesNotMatch(run.text, /never-shown/);
      }
    },
  );

  test('asks for trust again when a script of its plugin changes', async () => {
    await using project = await openProject('claude-code', { plugins });
    const skill = skillOf(project, 'standup:summary');
    const before = freshDigest(skill as SkillRecord);
    assert.notEqual(before, undefined);
    project.files.write('project/plugins/standup/scripts/notes.sh', 'echo changed');
    assert.notEqual(freshDigest(skill as SkillRecord), before);
  });

  test(
    'runs the hooks of a plugin for a conversation that loaded one of its skills',
    { skip: withoutBubblewrap },
    async () => {
      const load = (name: string) => ({ name: 'skill', input: { name } });
      const note = (file_path: string) => ({ name: 'write', input: { file_path, content: 'Changed.' } });
      await using project = await openProject(
        'claude-code',
        { plugins: ['~/standup'] },
        [
          { calls: [note('past/w0.md')] },
          { calls: [load('standup:summary'), load('standup:today')] },
          { calls: [note('past/w1.md'), note('now/w2.md')] },
          'Done.',
        ],
        'standup',
      );
      const { agent, files } = project;
      const run = await agent.run({ skill: 'prices', input: 'Write the notes.' }).result;
      assert.equal(run.status, 'done', JSON.stringify(run.error));
      assert.deepEqual(
        ['past/w0.md', 'past/w1.md', 'now/w2.md'].map((file) => existsSync(files.at(`project/${file}`))),
        [true, false, true],
      );
    },
  );

  test('keeps prices and shell code in a skill that a prompt selects', async () => {
    await using project = await openProject('claude-code', {}, ['It costs $20.']);
    const { agent, model } = project;
    const prompt = 'Explains the price list and answers what an order costs';
    const run = await agent.executePrompt(prompt);
    assert.equal(run.skill, 'prices');
    const [message] = model.requests[0]?.messages ?? [];
    const text = message?.role === 'user' ? message.text : '';
    assert.ok(text.includes("awk '{ total += $1 } END { print total }'"), text);
    assert.ok(text.includes('A call costs $0.01, a month $20, and $1,500 a year'));
    assert.ok(text.includes(`ARGUMENTS: ${prompt}`));
  });

  test('shortens a description at its example', async () => {
    await using project = await openProject('claude-code');
    const { description } = skillOf(project, 'reviewer').card;
    assert.match(description, /^Reviews a change before it is merged\. Use it after writing code\./);
  });

  test('finds a nested skill by its full name, and does not list it', async () => {
    await using project = await openProject('claude-code');
    assert.equal(skillOf(project, 'changelog:tone').name, 'changelog:tone');
    assert.throws(() => skillOf(project, 'tone'), { code: 'skill.not-found' });
    const { text } = await project.agent.skills.catalog();
    assert.ok(text.includes('changelog') && !text.includes('tone'));
  });

  test('lets people call its commands with a slash', async () => {
    await using project = await openProject('claude-code', {}, ['Sunny.']);
    const run = await project.agent.executePrompt('/weather Bergen');
    assert.equal(run.text, 'Sunny.');
    assert.match(JSON.stringify(project.model.requests[0]?.messages), /Say what the weather in Bergen is\./);
  });
});
