import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, settled } from '../../test/support/kernel.ts';
import { defaultPorts } from '../config/defaults.ts';
import { defineSkill } from '../core/define-skill.ts';
import type { HttpServer } from '../core/servers/tool-server.ts';
import { RecursiveSkilledAgent } from './recursive-skilled-agent.ts';

const slow: HttpServer = {
  ...{ kind: 'http', name: 'slow', url: 'http://127.0.0.1:9/mcp', headers: {}, skills: true },
};

test('an agent that is shut down waits for no server that is asked for its skills', async () => {
  const asked = Promise.withResolvers<undefined>();
  const mountSkills: ReturnType<typeof defaultPorts>['mountSkills'] = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ issues: [] }));
      asked.resolve(undefined);
    });
  const options = { mcpServers: [slow], embeddings: false };
  const agent = new RecursiveSkilledAgent(options, { ...defaultPorts({}), mountSkills });
  agent.skills.register(defineSkill({ name: 'work', description: 'Works.', run: () => done() }));
  const { result } = agent.run({ skill: 'work' });
  await asked.promise;
  await settled(agent.shutdown({ drainMs: 0 }), 'the shutdown');
  assert.ok(['done', 'running'].includes((await settled(result)).status));
});
