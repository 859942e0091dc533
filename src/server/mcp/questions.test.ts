import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../core/json.ts';
import { agentWith, askAbout, done, settled, until, type TestSkill } from '../../../test/support/kernel.ts';
import { eras, openServerFixture, type Fill } from '../../../test/support/mcp-clients.ts';

const asks = (text: string, more: { schema?: JsonObject; options?: readonly string[] } = {}): TestSkill => ({
  run: async (_input: Json, scope) => {
    const answer = await scope.ask({ text, ...more });
    return done(JSON.stringify(answer));
  },
});
const pays: TestSkill = () => done('paid');
const orders: TestSkill = async (_input, scope) => {
  const output = await scope.call('pays', { sum: 12 });
  return output.status === 'done' ? output : done(`not ${output.error.code}: ${output.error.message}`);
};

function textOf(result: unknown): string {
  const { content } = result as { content: readonly { text?: string }[] };
  return content.map(({ text = '' }) => text).join('\n');
}

const accept =
  (content: Record<string, string | number | boolean>): Fill =>
  () => ({ action: 'accept', content });

for (const era of eras)
  describe(`a question is asked in the client in revision ${era}`, () => {
    test('as a form with a field for what is asked, and the call continues with the answer', async () => {
      const day = { type: 'object', properties: { day: { type: 'string' }, early: { type: 'boolean' } } };
      const nested = { type: 'object', properties: { days: { type: 'array', items: { type: 'string' } } } };
      const table: readonly [TestSkill, Record<string, string | number | boolean>, string][] = [
        [asks('Which?', { options: ['red', 'blue'] }), { answer: 'blue' }, '"blue"'],
        [asks('Well?'), { answer: 'some words' }, '"some words"'],
        [asks('How many?', { schema: { type: 'integer' } }), { answer: 3 }, '3'],
        [asks('Sure?', { schema: { type: 'boolean' } }), { answer: false }, 'false'],
        [asks('When?', { schema: day }), { day: 'monday', early: true }, '{"day":"monday","early":true}'],
        [asks('When?', { schema: nested }), { answer: '{"days":["monday"]}' }, '{"days":["monday"]}'],
      ];
      for (const [skill, content, expected] of table) {
        await using fixture = await openServerFixture(agentWith({ skill }));
        const client = await fixture.client(era, accept(content));
        assert.equal(textOf(await client.callTool({ name: 'skill', arguments: { input: '' } })), expected);
      }
    });

    test('and asked again after an invalid answer', async () => {
      const forms: string[] = [];
      const fill: Fill = ({ message }) => {
        forms.push(message);
        return { action: 'accept', content: { answer: forms.length === 1 ? 'many' : '{"days":["monday"]}' } };
      };
      const schema = {
        type: 'object',
        properties: { days: { type: 'array', items: { type: 'string' } } },
        required: ['days'],
      };
      await using fixture = await openServerFixture(agentWith({ skill: asks('When?', { schema }) }));
      const client = await fixture.client(era, fill);
      const result = await client.callTool({ name: 'skill', arguments: { input: '' } });
      assert.equal(textOf(result), '{"days":["monday"]}');
      assert.deepEqual(forms, ['skill asks: When?', 'That is not a valid answer.\nskill asks: When?']);
    });

    test('and an approval with the call, its input and the reason; nothing else decides', async () => {
      const table: readonly [Fill, string][] = [
        [accept({ decision: 'once' }), 'paid'],
        [accept({ decision: 'for this run' }), 'paid'],
        [accept({ decision: 'no', reason: 'Too dear.' }), 'not policy.denied: .*Too dear'],
        [() => ({ action: 'decline' }), 'not policy.denied: .*declined'],
        [() => ({ action: 'cancel' }), '\\(usage\\.cancelled\\)$'],
      ];
      for (const [fill, expected] of table) {
        const forms: string[] = [];
        await using fixture = await openServerFixture(
          agentWith({ pays, orders }, { policy: askAbout('pays') }),
        );
        const client = await fixture.client(era, (form) => {
          forms.push(form.message);
          return fill(form);
        });
        const result = await client.callTool({ name: 'orders', arguments: { input: '' } });
        assert.match(textOf(result), new RegExp(expected));
        assert.equal(forms.length, 1);
        assert.match(forms[0] ?? '', /It matters\.[^]*orders › pays[^]*{"sum":12}[^]*Skill\(pays\)/);
      }
    });

    test('and a question that is declined or left cancels the run', async () => {
      for (const action of ['decline', 'cancel'] as const) {
        const agent = agentWith({ skill: asks('Well?') });
        await using fixture = await openServerFixture(agent);
        const client = await fixture.client(era, () => ({ action }));
        const result = await client.callTool({ name: 'skill', arguments: { input: '' } });
        assert.equal(result.isError, true);
        assert.match(textOf(result), /\(usage\.cancelled\)$/);
        assert.equal((await agent.runs.list())[0]?.status, 'cancelled');
      }
    });

    test('and a client that cannot show forms receives the question, the run and how to answer', async () => {
      const agent = agentWith({ pays, orders, skill: asks('Well?') }, { policy: askAbout('pays') });
      await using fixture = await openServerFixture(agent, {
        pasteable: (text) => text.replace(/`(skilled [^`]*)`/g, '$1 --cwd /project'),
      });
      const client = await fixture.client(era);
      const input = await client.callTool({ name: 'skill', arguments: { input: '' } });
      const [waiting] = await agent.runs.list();
      assert.equal(input.isError, true);
      assert.match(
        textOf(input),
        new RegExp(`Well\\?[^]*skilled resume ${waiting?.id} "<answer>" --cwd /project`),
      );
      const approval = await client.callTool({ name: 'orders', arguments: { input: '' } });
      assert.match(
        textOf(approval),
        /It matters[^]*skilled approve r_\w+\/\w+ --cwd \/project[^]*\(policy\.waiting\)$/,
      );
      await agent.runs.answer(waiting?.id ?? '', 'yes');
      assert.equal((await agent.runs.resume(waiting?.id ?? '').result).text, '"yes"');
    });

    test('and with --yes no one is asked for approval', async () => {
      const agent = agentWith({ pays, orders }, { policy: askAbout('pays') });
      await using fixture = await openServerFixture(agent, { approves: true });
      const client = await fixture.client(era, () => assert.fail('somebody was asked'));
      assert.equal(textOf(await client.callTool({ name: 'orders', arguments: { input: '' } })), 'paid');
    });
  });

test('a client that cancels while its user is asked cancels the run', async () => {
  const agent = agentWith({ skill: asks('Well?') });
  await using fixture = await openServerFixture(agent);
  const cancelling = new AbortController();
  const client = await fixture.client('2025-11-25', async () => {
    cancelling.abort('enough');
    await until(async () => (await agent.runs.list())[0]?.status === 'cancelled');
    return { action: 'accept', content: { answer: 'late' } };
  });
  const { signal } = cancelling;
  const call = client.callTool({ name: 'skill', arguments: { input: '' } }, { signal });
  await assert.rejects(settled(call));
  await until(async () => (await agent.runs.list())[0]?.status === 'cancelled');
});

test('what a client brings back with an answer cannot be made up', async () => {
  const agent = agentWith({ pays, orders }, { policy: askAbout('pays') });
  await using fixture = await openServerFixture(agent);
  const client = await fixture.client('2026-07-28');
  await client.callTool({ name: 'orders', arguments: { input: '' } });
  const [waiting] = await agent.runs.list();
  const forged = Buffer.from(JSON.stringify({ p: { tool: 'orders', run: waiting?.id, question: 'q' } }));
  const response = await fetch(fixture.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fixture.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'orders',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'orders',
        arguments: { input: '' },
        requestState: `v1.${forged.toString('base64url')}.AAAA`,
        inputResponses: { question: { action: 'accept', content: { decision: 'once' } } },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      },
    }),
  });
  assert.match(await response.text(), /Invalid or expired requestState/);
  assert.equal((await agent.runs.list())[0]?.status, 'waiting');
});
