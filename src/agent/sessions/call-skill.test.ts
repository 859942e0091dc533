import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { codeThrown } from '../../../test/support/code-thrown.ts';
import { agentWith, askAbout, done, yesPolicy } from '../../../test/support/kernel.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { parseSkill } from '../../config/preset.ts';
import { defineSkill } from '../../core/define-skill.ts';

const greet = defineSkill({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string(), times: z.number().default(1) }),
  run: ({ name, times }) => done(`Hello ${name}`.repeat(times)),
});

describe('a skill that is passed itself', () => {
  test('runs without being registered, and is not registered afterwards', async () => {
    await using agent = agentWith({});
    assert.equal(
      await agent.session().skill(greet, { args: { name: 'Ann', times: 2 } }),
      'Hello AnnHello Ann',
    );
    assert.equal(agent.skills.has('greet'), false);
  });

  test('runs in the place of another one of its name, for this run alone', async () => {
    using files = tree({ 'skills/greet/SKILL.md': skillText('greet') });
    await using agent = agentWith(
      { outer: async (_input, scope) => scope.call('greet', { name: 'inner' }) },
      { startDir: files.path, policy: yesPolicy },
    );
    assert.equal(await agent.session().skill(greet, { args: { name: 'Ann' } }), 'Hello Ann');
    assert.equal(agent.skills.get('greet')?.source, 'project');
  });

  test('calls the other skills, and is the one that they call by its name', async () => {
    await using agent = agentWith({ helper: (_input, scope) => scope.call('boss', 'low') });
    const boss = defineSkill<string>({
      name: 'boss',
      description: 'Delegates.',
      run: async (input, scope) => (input === 'low' ? done('reached') : scope.call('helper', null)),
    });
    assert.equal(await agent.session().skill(boss, { args: 'high' }), 'reached');
  });

  test('is the registered one when it is registered', async () => {
    await using agent = agentWith({});
    agent.skills.register(greet);
    assert.equal(agent.skills.snapshotWith(greet).registry, agent.skills.snapshot());
    assert.equal(await agent.session().skill(greet, { args: { name: 'Ann' } }), 'Hello Ann');
  });

  test('has one snapshot until something changes', async () => {
    await using agent = agentWith({});
    const first = agent.skills.snapshotWith(greet);
    assert.equal(agent.skills.snapshotWith(greet).registry, first.registry);
    agent.skills.register(defineSkill({ name: 'other', description: 'Is new.', run: () => done() }));
    const { registry } = agent.skills.snapshotWith(greet);
    assert.ok(registry !== first.registry && registry.lookup.find('other') !== undefined);
  });

  test('may have been loaded from a text', async () => {
    await using agent = agentWith({}, { policy: askAbout('loaded') });
    const loaded = parseSkill('---\nname: loaded\ndescription: Helps.\n---\n\nHelp.\n');
    assert.equal(await codeThrown(agent.session().skill(loaded)), 'policy.waiting');
  });

  test('must have the arguments that the loading program declared', async () => {
    await using agent = agentWith({});
    const text = '---\nname: loaded\ndescription: Helps.\ninput: {type: string}\n---\n\nHelp $n.\n';
    const loaded = parseSkill(text, { input: z.object({ n: z.number() }) });
    const session = agent.session();
    const wrong = { n: 'x' } as unknown as { n: number };
    assert.equal(await codeThrown(session.skill(loaded, { args: wrong })), 'usage.bad-input');
    assert.equal(await codeThrown(session.skill(loaded, { args: { n: 4 } })), 'model.unavailable');
    agent.skills.register(loaded);
    assert.equal(agent.render('loaded', { args: { n: 4 } }).text, 'Help 4.');
  });
});
