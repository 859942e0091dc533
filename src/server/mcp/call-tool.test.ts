import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { agentWith, done, hang, settled, until, type TestSkill } from '../../../test/support/kernel.ts';
import { eras, openServerFixture } from '../../../test/support/mcp-clients.ts';

const sum = z.object({ sum: z.number() });
const numbers = z.object({ one: z.number(), other: z.number() });
const adds: TestSkill = {
  input: numbers as never,
  output: sum,
  run: ({ one, other }: { one: number; other: number }) => done('', { sum: one + other }),
};

const counts: TestSkill = async (_input, scope) => {
  const before = ((await scope.memory.get('count')) as number | undefined) ?? 0;
  scope.memory.set('count', before + 1);
  return done(String(before + 1));
};

function textOf(result: unknown): string {
  const { content } = result as { content: readonly { type: string; text?: string }[] };
  return content.map(({ text = '' }) => text).join('\n');
}

for (const era of eras)
  describe(`a tool is called in revision ${era}`, () => {
    test('with what its skill takes, and gives what the skill gives, as text and as structured content', async () => {
      const outer: TestSkill = async (_input, scope) => {
        const output = await scope.call('adds', { one: 2, other: 3 });
        return output.status === 'done' ? done('It is five.', output.value ?? null) : output;
      };
      const list: TestSkill = () => done('', [1, 2]);
      const echo: TestSkill = (input) => done(JSON.stringify(input));
      await using fixture = await openServerFixture(agentWith({ adds, outer, list, echo }));
      const client = await fixture.client(era);
      const { tools } = await client.listTools();
      const described = tools.find(({ name }) => name === 'adds');
      assert.deepEqual(described?.inputSchema.required, ['one', 'other']);
      assert.deepEqual(described.outputSchema?.['properties'], { sum: { type: 'number' } });
      assert.equal(described.description, 'Does adds.');
      const called = async (name: string, input: Record<string, unknown>) =>
        client.callTool({ name, arguments: input });
      const added = await called('adds', { one: 1, other: 2 });
      assert.deepEqual([added.structuredContent, textOf(added)], [{ sum: 3 }, '{"sum":3}']);
      const nested = await called('outer', { input: '' });
      assert.deepEqual([nested.structuredContent, textOf(nested)], [{ sum: 5 }, 'It is five.\n{"sum":5}']);
      assert.deepEqual(textOf(await called('list', { input: '' })), '[1,2]');
      assert.deepEqual(textOf(await called('echo', { input: 'some words' })), '"some words"');
    });

    test('and what it made comes along: texts as texts, pictures as pictures, other bytes as bytes', async () => {
      const makes: TestSkill = (_input, scope) => {
        scope.artifact({ name: 'a.txt', mediaType: 'text/plain', text: 'words' });
        scope.artifact({ name: 'b.png', mediaType: 'image/png', text: 'data:image/png;base64,AAAA' });
        scope.artifact({
          name: 'c.pdf',
          mediaType: 'application/pdf',
          text: 'data:application/pdf;base64,BBBB',
        });
        return done('made');
      };
      await using fixture = await openServerFixture(agentWith({ makes }));
      const client = await fixture.client(era);
      const { content } = await client.callTool({ name: 'makes', arguments: { input: '' } });
      const [, text, picture, bytes] = content;
      assert.ok(text?.type === 'resource' && 'text' in text.resource && text.resource.text === 'words');
      assert.deepEqual(picture, { type: 'image', mimeType: 'image/png', data: 'AAAA' });
      assert.ok(bytes?.type === 'resource' && 'blob' in bytes.resource && bytes.resource.blob === 'BBBB');
    });

    test('and what fails is reported with every fault, a hint and its code, and without a stack', async () => {
      const broken: TestSkill = () => {
        throw new Error('a defect at /secret/place');
      };
      await using fixture = await openServerFixture(agentWith({ adds, broken }));
      const client = await fixture.client(era);
      const wrong = await client.callTool({ name: 'adds', arguments: { one: 'x' } });
      assert.equal(wrong.isError, true);
      assert.match(textOf(wrong), /one must be a number.*other is required[^]*\(usage\.bad-input\)$/);
      const failed = await client.callTool({ name: 'broken', arguments: { input: '' } });
      assert.equal(failed.isError, true);
      assert.doesNotMatch(textOf(failed), /\.ts:\d/);
      await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /Unknown tool "nothing"/);
    });

    test('and a value that does not fit what the skill describes is a failure', async () => {
      await using fixture = await openServerFixture(
        agentWith({ vague: { output: sum, run: () => done('words') } }),
      );
      const client = await fixture.client(era);
      const result = await client.callTool({ name: 'vague', arguments: { input: '' } });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /\(skill\.no-result\)$/);
    });

    test('and cancelled with everything below it', async () => {
      const ends: string[] = [];
      const inner: TestSkill = async (_input, scope) => {
        ends.push('inner began');
        scope.signal.addEventListener('abort', () => ends.push('inner was stopped'));
        return hang(scope.signal);
      };
      const outer: TestSkill = (_input, scope) => scope.call('inner', '');
      const agent = agentWith({ inner, outer });
      await using fixture = await openServerFixture(agent);
      const client = await fixture.client(era);
      const cancelling = new AbortController();
      const call = client.callTool(
        { name: 'outer', arguments: { input: '' } },
        { signal: cancelling.signal },
      );
      await until(() => ends.length === 1);
      cancelling.abort('enough');
      await assert.rejects(settled(call));
      await until(async () => (await agent.runs.list())[0]?.status === 'cancelled');
      assert.deepEqual(ends, ['inner began', 'inner was stopped']);
    });

    test('and its progress is reported in numbers that grow', async () => {
      const notes: TestSkill = async (_input, scope) => {
        for (let note = 1; note <= 50; note++) scope.note(`note ${note}`);
        await scope.call('inner', '');
        return done('ok');
      };
      await using fixture = await openServerFixture(agentWith({ notes, inner: () => done() }));
      const client = await fixture.client(era);
      const reported: { readonly progress: number; readonly message?: string | undefined }[] = [];
      await client.callTool(
        { name: 'notes', arguments: { input: '' } },
        { onprogress: (progress) => void reported.push(progress) },
      );
      assert.ok(reported.length > 0 && reported.length < 30, `${reported.length}`);
      assert.ok(reported.every(({ progress }, index) => progress > (reported[index - 1]?.progress ?? 0)));
      assert.equal(reported.at(-1)?.message, 'notes is done');
    });

    test('by clients that know nothing of each other', async () => {
      await using fixture = await openServerFixture(agentWith({ counts }));
      const [one, other] = [await fixture.client(era), await fixture.client(era)];
      const count = async (client: typeof one): Promise<string> =>
        textOf(await client.callTool({ name: 'counts', arguments: { input: '' } }));
      const results = [await count(one), await count(one), await count(other)];
      assert.deepEqual(results, era === '2025-11-25' ? ['1', '2', '1'] : ['1', '1', '1']);
    });
  });

test('a client without sessions may name one, which others cannot guess', async () => {
  const agent = agentWith({ counts });
  await using fixture = await openServerFixture(agent);
  const client = await fixture.client('2026-07-28');
  const count = async (session: string): Promise<string> => {
    const named = { _meta: { 'skilled/session': session } };
    return textOf(await client.callTool({ name: 'counts', arguments: { input: '' }, ...named }));
  };
  const [mine, yours] = ['my-own-session-1234', 'your-own-session-12'];
  assert.deepEqual([await count(mine), await count(mine), await count(yours)], ['1', '2', '1']);
  assert.deepEqual([await count('short'), await count('short')], ['1', '1']);
  assert.equal((await agent.getActiveSessions()).length, 2);
});
