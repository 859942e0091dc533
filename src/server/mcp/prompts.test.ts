import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { agentWith, done, type TestSkill } from '../../../test/support/kernel.ts';
import { eras, openServerFixture } from '../../../test/support/mcp-clients.ts';
import { skillText, tree } from '../../../test/support/tree.ts';

const add: TestSkill = {
  input: z.object({ one: z.number(), other: z.number().optional() }) as never,
  run: () => done('added'),
};

describe('skills that users may start are prompts', () => {
  for (const era of eras)
    test(`with their text and arguments, in revision ${era}`, async () => {
      using files = tree({
        'a/greet/SKILL.md': `${skillText('greet')}\nGreet $ARGUMENTS. !\`echo run\`\n`,
        'a/shy/SKILL.md': skillText('shy', 'Shy.', 'disable-model-invocation: true\n'),
        'a/inner/SKILL.md': skillText('inner', 'Inner.', 'user-invocable: false\n'),
      });
      await using fixture = await openServerFixture(
        agentWith({ add }, { additionalSkillRoots: [files.at('a')] }),
      );
      const client = await fixture.client(era);
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name).filter((name) => name !== 'using-skilled'),
        ['add', 'greet', 'shy'],
      );
      assert.deepEqual(
        prompts[0]?.arguments?.map(({ name, required }) => [name, required]),
        [
          ['one', true],
          ['other', false],
        ],
      );
      const textOf = async (name: string, args: Record<string, string>): Promise<string> => {
        const { messages } = await client.getPrompt({ name, arguments: args });
        const content = messages[0]?.content;
        return content?.type === 'text' ? content.text : '';
      };
      const text = await textOf('greet', { arguments: 'Ann' });
      assert.match(text, /Greet Ann\./);
      assert.doesNotMatch(text, /^run$/m, 'a command was executed');
      assert.match(await textOf('add', { one: '1' }), /"add".*\{"one":1\}/);
      await assert.rejects(textOf('inner', {}));
      await assert.rejects(textOf('none', {}));
    });
});
