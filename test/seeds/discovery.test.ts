import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { GenerationCapability } from '../../src/core/family.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  ofType,
  settled,
  textOf,
  until,
} from '../support/kernel.ts';
import { oskillText } from '../support/orchestrator-stage.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';

/** Returns the skills of a folder as `name family`, without those of the package. */
async function foundIn(folder: Tree): Promise<readonly string[]> {
  await using agent = await new RecursiveSkilledAgent({
    startDir: folder.path,
    searchUpwards: false,
  }).ready();
  const own = agent.skills.list().filter(({ source }) => source !== 'bundled');
  return own.map(({ name, family }) => `${name} ${family}`);
}

describe('discovery', () => {
  test('tells the family of a skill by the name of its file alone', async () => {
    using folder = tree({
      'skills/reporting/daily-summary/oskill.md': '# Daily Summary\n\nSums up the day.\n',
      'skills/inventory/equipment/tskill.md': '# Equipment\n\n## Fields\n\n### name\n\nText.\n',
      'skills/tools/data-normalizer/cskill.md': '# Data Normalizer\n\nCleans rows.\n',
      'skills/tools/mail/mskill.md': '# Mail\n\nReads mail.\n',
      'skills/tools/sums/dcgskill.md': '# Sums\n\nAdds up.\n',
      'skills/guide/SKILL.md': skillText('guide'),
      'app/src/readme.md': '# No skill\n',
    });
    assert.deepEqual(await foundIn(folder), [
      'daily-summary orchestrator',
      'data-normalizer code-skill',
      'equipment table',
      'guide agent-skill',
      'mail mcp',
      'sums dynamic-code',
    ]);
  });

  test('stops at a folder that has a descriptor, and continues below one that has none', async () => {
    using folder = tree({
      'skills/one/SKILL.md': skillText('one'),
      'skills/one/inner/SKILL.md': skillText('inner'),
      'skills/a/b/c/d/deep/SKILL.md': skillText('deep'),
      'skills/a/notes.md': 'Nothing.',
    });
    assert.deepEqual(await foundIn(folder), ['deep agent-skill', 'one agent-skill']);
  });
});

describe('registration', () => {
  test('names a skill by what it says of itself, else by its folder, and both lead to it', async () => {
    using folder = tree({
      'skills/summary/oskill.md': oskillText('Daily Summary'),
      'skills/Plain Folder/oskill.md': '## Description\n\nHas no name of its own.\n',
    });
    await using agent = await agentWith({}, { startDir: folder.path, searchUpwards: false }).ready();
    const { name, file } = agent.skills.resolve('daily-summary');
    assert.deepEqual([name, file], ['daily-summary', folder.at('skills/summary/oskill.md')]);
    for (const other of ['Daily Summary', 'summary', 'DAILY-SUMMARY']) {
      assert.equal(agent.skills.resolve(other).name, 'daily-summary', other);
    }
    assert.equal(agent.skills.resolve('plain-folder').card.description, 'Has no name of its own.');
  });

  test('reads each descriptor with its own family at once, so that its faults are known before anybody calls it', async () => {
    using folder = tree({
      'skills/odd/oskill.md': oskillText('odd', { Session: 'dance', 'Allowed Skills': '- nobody' }),
    });
    await using agent = await agentWith({}, { startDir: folder.path, searchUpwards: false }).ready();
    assert.deepEqual(agent.skills.resolve('odd').card.allowedSkills, ['nobody']);
    assert.ok(agent.skills.diagnostics().some(({ file }) => file === folder.at('skills/odd/oskill.md')));
  });

  test('brings in the skills of the package, the code generator among them', async () => {
    await using agent = await new RecursiveSkilledAgent().ready();
    const bundled = agent.skills.list().filter(({ source }) => source === 'bundled');
    const names = bundled.map(({ name }) => name);
    for (const name of [
      'read',
      'write',
      'edit',
      'glob',
      'grep',
      'bash',
      'ask-user',
      'mirror-code-generator',
    ]) {
      assert.ok(names.includes(name), name);
    }
  });
});

/** Creates an agent whose flows are prepared as soon as it is ready, by this function. */
function agentOver(folder: Tree, prepare: NonNullable<GenerationCapability<string, unknown>['prepare']>) {
  const execute = async (prepared: unknown) => done(`It was ${String(prepared)}.`);
  const family = flowFamily({ execute, generation: { isEarly: () => true, prepare } });
  const store = createMemoryStore();
  return {
    store,
    agent: agentWith({ idle: () => done('idle') }, { ...flowsIn(folder.path, family), store }),
  };
}

describe('preparation', () => {
  test('is scheduled when the agent is ready, which does not wait for it', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    const heated = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<undefined>();
    const { agent } = agentOver(folder, () => {
      begun.resolve(undefined);
      return heated.promise;
    });
    await using _closing = agent;
    await settled(agent.ready());
    assert.deepEqual(
      agent.pendingPreparations.map(({ skill }) => skill),
      ['press'],
    );
    await settled(begun.promise);
    heated.resolve('hot');
    await settled(agent.awaitPreparations());
    assert.deepEqual([agent.pendingPreparations, agent.skills.diagnostics()], [[], []]);
  });

  test('that fails is in the diagnostics until a call succeeds', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    let isBroken = true;
    const { agent } = agentOver(folder, async () => {
      if (isBroken) throw new Error('It broke.');
      return 'hot';
    });
    await using _closing = agent;
    await agent.ready();
    await settled(agent.awaitPreparations());
    const [issue, ...others] = agent.skills.diagnostics();
    assert.deepEqual([issue?.code, issue?.details?.['skill'], others], ['skill.unprepared', 'press', []]);
    assert.equal((await agent.runs.find(textOf(issue?.details?.['runId'] ?? ''))).status, 'failed');
    isBroken = false;
    assert.equal((await agent.executePrompt('go', { skillName: 'press' })).text, 'It was hot.');
    assert.deepEqual(agent.skills.diagnostics(), []);
  });

  test('is under way with the first prompt, is listed, and is waited for before anything is executed', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    const heated = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<undefined>();
    const { agent } = agentOver(folder, () => {
      begun.resolve(undefined);
      return heated.promise;
    });
    await using _closing = agent;
    assert.equal(agent.pendingPreparations.length, 0);
    const order: string[] = [];
    const waits = agent.executePrompt('go', { skillName: 'idle' }).then(() => order.push('executed'));
    await settled(begun.promise);
    await until(() => agent.pendingPreparations.length === 1);
    assert.deepEqual(
      agent.pendingPreparations.map(({ skill }) => skill),
      ['press'],
    );
    order.push('heated');
    heated.resolve('hot');
    await settled(waits);
    assert.deepEqual(order, ['heated', 'executed']);
    assert.equal(agent.pendingPreparations.length, 0);
    assert.equal((await agent.executePrompt('go', { skillName: 'press' })).text, 'It was hot.');
  });

  test('is not waited for by a prompt that says so', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    const heated = Promise.withResolvers<string>();
    const { agent } = agentOver(folder, () => heated.promise);
    await using _closing = agent;
    const options = { skillName: 'idle', skipPreparationAwait: true };
    assert.equal((await settled(agent.executePrompt('go', options))).text, 'idle');
    await until(() => agent.pendingPreparations.length === 1);
    heated.resolve('hot');
    await settled(agent.awaitPreparations());
    assert.equal(agent.pendingPreparations.length, 0);
  });

  test('may have the generator of the package do it, as a call of a run of its own', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    const { agent, store } = agentOver(folder, async (_definition, scope) => {
      const { status } = await scope.call('mirror-code-generator', { directory: scope.skill.dir });
      return status;
    });
    await using _closing = agent;
    await settled(agent.awaitPreparations());
    const [run] = await store.runs({ preparations: true });
    assert.equal(run?.prepares, 'press');
    const called = ofType(await agent.runs.events(run.id), 'frame.started').map(({ skill }) => skill);
    assert.ok(called.includes('mirror-code-generator'), called.join());
  });

  test('that fails is reported to callers of that skill, and to no one else', async () => {
    using folder = tree({ 'skills/press/FLOW.md': flowText('press', 'x') });
    const { agent } = agentOver(folder, () => Promise.reject(new Error('It broke.')));
    await using _closing = agent;
    assert.equal((await agent.executePrompt('go', { skillName: 'idle' })).text, 'idle');
    const { ok, error } = await agent.executePrompt('go', { skillName: 'press' });
    assert.equal(ok, false);
    assert.match(error?.message ?? '', /It broke/);
  });
});
