import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCode, inText } from '../../../test/support/dynamic-code-stage.ts';
import { yesPolicy } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { AgentError } from '../../core/error.ts';
import { createScriptedModel } from '../../models/scripted.ts';

test('without the package for snippets code fails with what is missing, is not repaired, and text is still an answer', async () => {
  using files = tree({ '.agents/skills/dynamic/dcgskill.md': '# dynamic\n\n## Description\n\nAnswers.\n' });
  const missing = { message: 'isolated-vm is not installed.', hint: 'npm install isolated-vm' };
  const run = (): Promise<never> =>
    Promise.reject(new AgentError('sandbox.unavailable', missing.message, { hint: missing.hint }));
  const openSnippets = async () => ({ run, close: async () => undefined });
  const code = createScriptedModel([inCode('return 1'), inText('One.')]);
  const options = { startDir: files.path, searchUpwards: false, policy: yesPolicy, embeddings: false };
  const agent = new RecursiveSkilledAgent(
    { ...options, models: { code } },
    { ...defaultPorts({}), openSnippets },
  );
  const failed = await agent.run({ skill: 'dynamic', input: 'Go.' }).result;
  assert.equal(failed.status, 'failed');
  assert.deepEqual(
    { code: failed.error?.code, message: failed.error?.message, hint: failed.error?.hint },
    { code: 'sandbox.unavailable', ...missing },
  );
  assert.equal(code.requests.length, 1);
  assert.equal((await agent.run({ skill: 'dynamic', input: 'Go.' }).result).text, 'One.');
  await agent.shutdown();
});
