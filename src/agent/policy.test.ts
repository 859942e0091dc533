import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { done, flowFamily, flowText, settled } from '../../test/support/kernel.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { defaultPorts } from '../config/defaults.ts';
import { isAgentError } from '../core/error.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';
import { builtinFamilies } from '../families/index.ts';
import type { AgentOptions } from './options.ts';
import { BareAgent } from './recursive-skilled-agent.ts';

const offering: ServerDescription = {
  name: 'team',
  kind: 'http',
  url: 'http://127.0.0.1:9/mcp',
  headers: {},
  skills: true,
};

/** A user's skill that puts the server's skill into its prompt. */
const family = flowFamily({
  async execute(_definition, _input, scope) {
    try {
      return done(await scope.skills.inject(['notes'], 'full'));
    } catch (thrown) {
      return done(isAgentError(thrown) ? `${thrown.code}: ${thrown.hint ?? ''}` : String(thrown));
    }
  },
});

function stage(): Tree {
  return tree({
    'mounted/team/notes/SKILL.md': skillText('notes', 'Takes notes.'),
    'own/asker/FLOW.md': flowText('asker', 'x'),
  });
}

async function agentOn(files: Tree, more: AgentOptions = {}): Promise<BareAgent> {
  const ports = {
    ...defaultPorts({}),
    mountSkills: async () => ({ root: files.at('mounted'), issues: [] }),
  };
  const options: AgentOptions = {
    userRoots: false,
    additionalSkillRoots: [files.at('own')],
    embeddings: false,
    mcpServers: [offering],
    families: [...builtinFamilies, family],
    models: { model: () => undefined },
    ...more,
  };
  return new BareAgent(options, ports).ready();
}

test('the text of a skill of a server goes nowhere before it is trusted, and then as long as it stays as it is', async () => {
  using files = stage();
  await using agent = await agentOn(files);
  assert.equal(agent.skills.get('notes')?.source, 'mcp');
  const injected = async (): Promise<string> => (await settled(agent.run({ skill: 'asker' }).result)).text;
  const refused = { code: 'policy.denied', hint: /`skilled trust grant notes`/ };

  assert.match(
    await injected(),
    /^policy\.denied: Read .*SKILL\.md, then run `skilled trust grant notes`\.$/,
  );
  assert.throws(() => agent.render('notes'), refused);
  const called = agent.session('ann').skill('notes');
  await assert.rejects(async () => called, /./);
  const { runId, status, question } = await settled(agent.run({ skill: 'notes' }).result);
  assert.equal(status, 'waiting');
  assert.match(question?.asks?.reason ?? '', /from a server and is not trusted yet/);

  const read = async (): Promise<string> => {
    const input = { file_path: files.at('mounted/team/notes/SKILL.md') };
    const { text, error } = await settled(agent.run({ skill: 'read', input }).result);
    return error?.code ?? text;
  };
  assert.equal(await read(), 'policy.denied');

  await agent.runs.approve(runId, question?.id ?? '', { allow: 'version' });
  assert.match(await injected(), /<skill name="notes">/);
  assert.match(agent.render('notes').text, /Do it\./);
  assert.match(await read(), /Do it\./);
  await agent.reload();
  assert.match(agent.render('notes').text, /Do it\./, 'trust outlives a reload');

  appendFileSync(files.at('mounted/team/notes/SKILL.md'), 'More.\n');
  await agent.reload();
  assert.match(await injected(), /^policy\.denied/);
  assert.throws(() => agent.render('notes'), refused);
});

test('a policy that says nothing of trust trusts nothing of a server', async () => {
  using files = stage();
  await using agent = await agentOn(files, { policy: { decide: () => ({ decision: 'allow' }) } });
  assert.throws(() => agent.render('notes'), { code: 'policy.denied' });
});
