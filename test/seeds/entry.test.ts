import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { done, ofType, yesPolicy } from '../support/kernel.ts';
import { call, leaf } from '../support/loop-stage.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';
import { touchedByMaking } from '../support/touched-by-making.ts';
import { skillText, tree } from '../support/tree.ts';

const configuration = {
  searchUpwards: true,
  additionalSkillRoots: ['./team-skills'],
  exposeInternalSkills: false,
  tierConfig: { plan: 'plan', execution: 'fast', code: 'code' },
  sessionConfig: { maxSessions: 1000, sessionTTL: 7_200_000, cleanupInterval: 300_000 },
  fallbackSessionType: 'loop',
  enableSummary: false,
} as const;

describe('an agent with all options of the entry at once', () => {
  test('finds skills here, above and in further folders, remembers sessions as told, and asks the model of each tier', async () => {
    using folder = tree({
      '.git/HEAD': '',
      'skills/above/SKILL.md': skillText('above', 'Waters the plants.'),
      'app/skills/here/SKILL.md': skillText('here', 'Counts the chairs.'),
      'app/team-skills/ours/SKILL.md': skillText('ours', 'Feeds the cat.'),
    });
    const plan = createScriptedModel(['No skill here does this.']);
    const fast = createScriptedModel(['Nine chairs.']);
    await using agent = new RecursiveSkilledAgent({
      ...configuration,
      startDir: folder.at('app'),
      models: { plan, fast },
      policy: yesPolicy,
      embeddings: false,
    });
    const own = agent.skills.list().filter(({ source }) => source !== 'bundled');
    assert.deepEqual(
      own.map(({ name, source }) => `${name} ${source}`),
      ['above project', 'here project', 'ours explicit'],
    );
    assert.deepEqual((await agent.getSessionStats()).config, configuration.sessionConfig);

    assert.equal((await agent.executePrompt('How many?', { skillName: 'here' })).text, 'Nine chairs.');
    const unfitting = await agent.executePrompt('Translate xylophone into Welsh.');
    assert.equal(unfitting.text, 'No skill here does this.');
    assert.deepEqual([fast.requests.length, plan.requests.length], [1, 1]);
    const offered = plan.requests[0]?.tools?.map(({ name }) => name) ?? [];
    assert.ok(!offered.includes('bash') && !offered.includes('write'), offered.join());
  });

  test('has no other sessions for a prompt that fits nothing than a loop or a plan', () => {
    for (const fallbackSessionType of ['banana', 'LOOP', '', 0, ['loop']] as unknown as 'loop'[]) {
      const misuse = { code: 'usage.bad-input', details: { key: 'fallbackSessionType' } };
      assert.throws(() => new RecursiveSkilledAgent({ fallbackSessionType }), misuse);
      assert.throws(() => new RecursiveSkilledAgent({ settings: { fallbackSessionType } }), misuse);
    }
    for (const fallbackSessionType of ['loop', 'sop', undefined, null] as 'loop'[])
      assert.ok(new RecursiveSkilledAgent({ fallbackSessionType }));
  });

  test('touches nothing of the workspace and loads nothing when it is made, and has found its skills when it is ready', async () => {
    using folder = tree({ 'skills/first/SKILL.md': skillText('first') });
    const options = { ...configuration, startDir: folder.path };
    const { whenCreated, isFoundWhenReady } = await touchedByMaking(options, folder.at('skills/first'));
    assert.deepEqual(
      whenCreated.filter((line) => !line.endsWith('package.json')), // its own manifest
      [],
    );
    assert.equal(isFoundWhenReady, true);
  });
});

describe('work that goes deeper', () => {
  const desk = {
    Description: 'Plans whole parties: guests, cakes and music.',
    Session: 'loop',
    'Allowed Skills': '- bakery',
  };
  const bakery = { Session: 'loop', 'Allowed Skills': '- cake' };

  test('leads from a prompt through two orchestrators into a skill that calls another, in one run and one session', async () => {
    const calls: string[] = [];
    const flour = leaf((_input, { run: { session, depth } }) => {
      calls.push(`${session} ${depth}`);
      return done('Flour is there.');
    });
    await using on = orchestratorStage(
      { desk, bakery },
      [{ calls: [call('bakery')] }, { calls: [call('cake')] }, 'Baked.', 'The party is planned.'],
      { skills: { flour, cake: (_input, scope) => scope.call('flour', null) } },
    );
    const context = { sessionId: 'ann' };
    const { runId, text } = await on.agent.executePrompt('Plan a party with guests and music.', { context });
    assert.equal(text, 'The party is planned.');
    const frames = ofType(await on.agent.runs.events(runId), 'frame.started');
    assert.deepEqual(
      frames.map(({ skill, depth }) => `${depth} ${skill}`),
      ['1 desk', '2 bakery', '3 cake', '4 flour'],
    );
    assert.deepEqual(calls, ['ann 4']);
  });

  test('is limited: orchestrators that call each other in a cycle get an error and continue', async () => {
    const circle = {
      desk: { ...desk, 'Allowed Skills': '- bakery' },
      bakery: { ...bakery, 'Allowed Skills': '- desk' },
    };
    await using on = orchestratorStage(circle, (_request, turn) =>
      turn <= 40 ? { calls: [call(turn % 2 === 1 ? 'bakery' : 'desk')] } : 'Enough.',
    );
    const { runId } = await on.agent.executePrompt('x', { skillName: 'desk' });
    const [refused] = ofType(await on.agent.runs.events(runId), 'call.refused');
    assert.ok(refused !== undefined && ['limit.cycle', 'limit.depth'].includes(refused.error.code));
  });
});
