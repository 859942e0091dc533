import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { agentWith, done, flowFamily, flowsIn, flowText, yesPolicy } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Grant, Sandbox } from '../../core/sandbox.ts';
import type { Requirements } from '../../core/skill.ts';

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
        await scope.processes.sandbox();
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

/** Returns the grant of a project's flow with these requirements, if the settings allow `github` a lot. */
async function grantOf(
  name: string,
  requires: Requirements,
  more: Record<string, string> = {},
): Promise<Grant> {
  using files = tree({ [`.agents/skills/${name}/FLOW.md`]: flowText(name, 'Helps.'), ...more });
  const grants: Grant[] = [];
  const family = flowFamily({
    parse: () => ({ name, card: { description: 'Helps.', requires }, definition: '', issues: [] }),
    execute: async (_definition, _input, scope) => {
      await scope.processes.sandbox();
      return done();
    },
  });
  const github = { apiKey: { env: 'PATH' }, hosts: ['api.github.com'], read: ['/srv/tokens'] };
  await using agent = agentWith(
    {},
    {
      ...flowsIn(files.path, family),
      additionalSkillRoots: [files.at('own')],
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
  const { error } = await agent.run({ skill: `project:${name}` }).result;
  assert.equal(error, undefined);
  const [grant] = grants;
  assert.ok(grant !== undefined);
  return grant;
}

const token = { env: ['GITHUB_TOKEN'], primaryEnv: 'GITHUB_TOKEN', always: true } as const;

test('what settings give under the name of a skill of a project is granted to it', async () => {
  const { environment, hosts, read } = await grantOf('github', token);
  assert.ok(environment['GITHUB_TOKEN'] !== undefined && read.includes('/srv/tokens'));
  assert.deepEqual(hosts, ['api.github.com']);
});

test('what settings give to one skill is not got by one of a project that takes its key or its name', async () => {
  const own = { 'own/github/FLOW.md': flowText('github', 'The own one.') };
  for (const { environment, hosts, read } of [
    await grantOf('helpful', { ...token, skillKey: 'github' }),
    await grantOf('github', token, own),
  ]) {
    assert.equal(environment['GITHUB_TOKEN'], undefined);
    assert.deepEqual(hosts, []);
    assert.ok(!read.includes('/srv/tokens'));
  }
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
