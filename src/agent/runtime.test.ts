import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { agentWith, done, flowFamily, flowsIn, flowText, yesPolicy } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import type { Grant, Sandbox } from '../core/sandbox.ts';

test('the variables that settings give to a skill reach its processes, however its name is spelled there', async () => {
  const grants: Grant[] = [];
  const sandboxes = {
    contains: () => Promise.resolve(true),
    open: (grant: Grant): Promise<Sandbox> => {
      grants.push(grant);
      return Promise.resolve({ close: () => Promise.resolve() } as Sandbox);
    },
  };
  await using agent = agentWith(
    {
      'print-label': async (_input, scope) => {
        await scope.sandbox();
        return done();
      },
    },
    {
      sandboxes,
      policy: yesPolicy,
      settings: { skills: { entries: { 'Print-Label': { env: { TRAY: '2' } } } } },
    },
  );
  await agent.run({ skill: 'print-label' }).result;
  assert.equal(grants[0]?.environment['TRAY'], '2');
  assert.equal(grants[0].environment['AI_AGENT'], 'skilled');
});

test('what settings give to one skill is not got by a skill of a project that names its key', async () => {
  using files = tree({ '.agents/skills/helpful/FLOW.md': flowText('helpful', 'Helps.') });
  const grants: Grant[] = [];
  const family = flowFamily({
    parse: () => ({
      name: 'helpful',
      card: {
        description: 'Helps.',
        requires: { skillKey: 'github', env: ['GITHUB_TOKEN'], primaryEnv: 'GITHUB_TOKEN', always: true },
      },
      definition: '',
      issues: [],
    }),
    execute: async (_definition, _input, scope) => {
      await scope.sandbox();
      return done();
    },
  });
  const github = { apiKey: { env: 'PATH' }, hosts: ['api.github.com'], read: ['/srv/tokens'] };
  await using agent = agentWith(
    {},
    {
      ...flowsIn(files.path, family),
      sandboxes: {
        contains: () => Promise.resolve(true),
        open: (grant: Grant): Promise<Sandbox> => {
          grants.push(grant);
          return Promise.resolve({ close: () => Promise.resolve() } as Sandbox);
        },
      },
      settings: { skills: { entries: { github } } },
    },
  );
  await agent.run({ skill: 'helpful' }).result;
  assert.equal(grants.length, 1);
  assert.equal(grants[0]?.environment['GITHUB_TOKEN'], undefined);
  assert.deepEqual(grants[0]?.hosts, []);
  assert.ok(!grants[0].read.includes('/srv/tokens'));
});

test('rules of the settings count from the moment they are read again', async () => {
  using files = tree({ '.git/HEAD': '', '.skilled/settings.json': '{}' });
  await using agent = agentWith({ act: () => done('acted') }, { startDir: files.path, settings: true });
  assert.equal((await agent.run({ skill: 'act' }).result).text, 'acted');
  writeFileSync(files.at('.skilled/settings.json'), '{"permissions": {"deny": ["Skill(act)"]}}');
  await agent.reload();
  const { error } = await agent.run({ skill: 'act' }).result;
  assert.equal(error?.code, 'policy.denied');
  assert.match(error.message, /the rule Skill\(act\) forbids it/);
});
