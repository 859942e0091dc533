import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codeOf, done, settled, yesPolicy } from '../../../test/support/kernel.ts';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { ServerDescription, ToolServer } from '../../core/servers/tool-server.ts';
import { createPlainSandboxes } from '../../sandboxes/plain-provider.ts';

const box: ServerDescription = { name: 'box', kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} };

/**
 * Creates an agent whose skills `one`, `two` and `free` (which runs its own code) open a server by name or by
 * description, and report which one they got.
 */
function agentWith(options: AgentOptions = {}) {
  const log: string[] = [];
  let count = 0;
  const openServer = async ({ name }: { name: string }): Promise<ToolServer> => {
    const endpoint = `${name}${++count}`;
    log.push(`open ${endpoint}`);
    return { name, endpoint, close: async () => void log.push(`close ${endpoint}`) } as unknown as ToolServer;
  };
  const more = { mcpServers: [box], embeddings: false, ...options };
  const agent = new BareAgent(more, { ...defaultPorts({}), openServer });
  for (const name of ['one', 'two', 'free']) {
    agent.skills.register(
      defineSkill({
        name,
        runsOwnCode: name === 'free',
        description: 'Takes a server.',
        run: async (input, scope) => {
          const server = await scope.resources.server(input === 'described' ? box : (input as string));
          return done(server.endpoint, [...scope.resources.servers]);
        },
      }),
    );
  }
  // The agent lists each server's tools once. These tests are about the servers that skills open.
  const isReady = agent.ready().then(() => {
    log.length = count = 0;
  });
  const findEndpoint = async (skill: string, input: string, session = 'ann'): Promise<string> => {
    await isReady;
    return (await settled(agent.run({ skill, input, session }).result)).text;
  };
  return { agent, log, findEndpoint };
}

describe('a server of tools', () => {
  test('is kept for its session, shared by runs and skills; what a skill describes is its own', async () => {
    const { agent, log, findEndpoint } = agentWith();
    await using _agent = agent;
    assert.equal(await findEndpoint('one', 'box'), 'box1');
    assert.equal(await findEndpoint('one', 'box'), 'box1');
    assert.equal(await findEndpoint('two', 'box'), 'box1');
    assert.equal(await findEndpoint('two', 'box', 'bob'), 'box2');
    assert.equal(await findEndpoint('one', 'described'), 'box3');
    assert.equal(await findEndpoint('one', 'described'), 'box3');
    assert.equal(await findEndpoint('two', 'described'), 'box4');
    assert.ok(log.every((line) => line.startsWith('open')));
    const { value } = await agent.run({ skill: 'one', input: 'box' }).result;
    assert.deepEqual(value, ['box']);
  });

  test('that nothing contains is shared only by skills for which a person allowed that', async () => {
    for (const [contains, expected] of [
      [true, ['box1', 'box1']],
      [false, ['box1', 'box2']],
    ] as const) {
      const sandboxes = { ...createPlainSandboxes(), contains: async () => contains };
      const { agent, findEndpoint } = agentWith({ sandboxes, policy: yesPolicy });
      await using _agent = agent;
      assert.deepEqual([await findEndpoint('one', 'box'), await findEndpoint('free', 'box')], expected);
    }
  });

  test('that is unknown is an error, and is looked for again', async () => {
    const { agent } = agentWith();
    await using _agent = agent;
    for (let time = 0; time < 2; time += 1) {
      const result = await settled(agent.run({ skill: 'one', input: 'boks' }).result);
      assert.equal(codeOf(result), 'usage.bad-settings');
    }
  });

  const ends: Readonly<Record<string, (agent: BareAgent) => Promise<unknown>>> = {
    'is deleted': (agent) => agent.deleteSession('ann'),
    'is too old': (agent) => agent.cleanupSessions(),
    'has to make room': (agent) => agent.run({ skill: 'one', input: 'box', session: 'bob' }).result,
  };
  for (const [what, end] of Object.entries(ends)) {
    test(`is closed when its session ${what}, and opened again for a new one`, async () => {
      const isOld = what === 'is too old';
      const sessionConfig = { maxSessions: 1, ...(isOld ? { sessionTTL: 1 } : {}) };
      const { agent, log, findEndpoint } = agentWith({ sessionConfig });
      await using _agent = agent;
      assert.equal(await findEndpoint('one', 'box'), 'box1');
      if (isOld) await new Promise((resolve) => setTimeout(resolve, 5));
      await settled(end(agent));
      assert.ok(log.includes('close box1'), log.join());
      assert.notEqual(await findEndpoint('one', 'box'), 'box1');
    });
  }

  test('is closed with the agent', async () => {
    const { agent, log, findEndpoint } = agentWith();
    for (const session of ['ann', 'bob']) await findEndpoint('one', 'box', session);
    await agent.shutdown();
    assert.deepEqual(log.slice(2).sort(), ['close box1', 'close box2']);
  });
});
