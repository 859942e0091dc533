import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { agentWith, done, yesPolicy, type TestSkill } from '../../../test/support/kernel.ts';
import { openServerFixture } from '../../../test/support/mcp-clients.ts';
import { skillText, tree } from '../../../test/support/tree.ts';

const adds: TestSkill = {
  input: z.object({ one: z.number(), other: z.number() }) as never,
  output: z.object({ sum: z.number() }),
  run: ({ one, other }: { one: number; other: number }) => done('', { sum: one + other }),
};

test('a skill of one agent calls a skill of another, and learns of its failures', async () => {
  using files = tree({
    'theirs/guide/SKILL.md': skillText('guide'),
    'ours/.agents/skills/desk/mskill.md': [
      '# Desk\n\n## Description\n\nAdds.\n\n## Servers\n\n- theirs\n\n## Allowed Tools\n\n- theirs.adds\n',
      '## Script\n\n```sop\n@sum theirs.adds one=2 other=$input\n@last final_answer $sum\n```\n',
    ].join('\n'),
  });
  const theirs = agentWith({ adds }, { additionalSkillRoots: [files.at('theirs')] });
  await using fixture = await openServerFixture(theirs);
  const { url, token: bearer } = fixture;
  await using ours = agentWith(
    {},
    {
      startDir: files.at('ours'),
      searchUpwards: false,
      policy: yesPolicy,
      mcpServers: [{ name: 'theirs', kind: 'http', url, headers: {}, bearer }],
    },
  );
  const result = await ours.run({ skill: 'desk', input: 3 }).result;
  assert.match(JSON.stringify(result.value ?? result), /"sum":5/);
  const wrong = await ours.run({ skill: 'desk', input: 'many' }).result;
  assert.equal(wrong.ok, false);
  assert.match(wrong.error?.message ?? '', /other/);
  assert.equal((await theirs.runs.list())[0]?.status, 'done');
});
