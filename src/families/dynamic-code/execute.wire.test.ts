import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inCode } from '../../../test/support/dynamic-code-stage.ts';
import { yesPolicy } from '../../../test/support/kernel.ts';
import { providerClients } from '../../../test/support/provider-clients.ts';
import { tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { fromAiSdk } from '../../models/ai-sdk/model.ts';
import { openModelServer } from '../../testing/model-server/server.ts';

const text = '# dynamic\n\n## Description\n\nAnswers.\n';

describe('a dynamic code skill over a real connection', () => {
  for (const { name, open } of providerClients) {
    test(`asks, runs, and asks for a repair: ${name}`, async () => {
      using files = tree({ '.agents/skills/dynamic/dcgskill.md': text });
      await using server = await openModelServer([inCode('input.n * 6'), inCode('return input.n * 6')]);
      const options = { startDir: files.path, searchUpwards: false, policy: yesPolicy, embeddings: false };
      await using agent = new RecursiveSkilledAgent({ ...options, models: fromAiSdk(open(server.url)) });
      const { value, error } = await agent.run({ skill: 'dynamic', input: { n: 7 } }).result;
      assert.equal(value, 42, JSON.stringify(error));
      assert.equal(server.requests.length, 2);
      assert.match(JSON.stringify(server.requests[0]?.body), /body of an async function/);
      assert.match(JSON.stringify(server.requests[1]?.body), /The code returned nothing\./);
    });
  }
});
