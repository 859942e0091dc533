import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { settled } from '../../../test/support/kernel.ts';
import { eras, openServerFixture } from '../../../test/support/mcp-clients.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';

function agentOn(files: Tree, watch = false): Promise<RecursiveSkilledAgent> {
  const options = { additionalSkillRoots: [files.at('skills')], only: true, embeddings: false, watch };
  return new RecursiveSkilledAgent({ ...options, models: { model: () => undefined } }).ready();
}

describe('clients load skills', () => {
  for (const era of eras)
    test(`whole, with digests that hold, in revision ${era}`, async () => {
      using files = tree({
        'outside.txt': 'secret',
        'skills/a/SKILL.md': skillText('a'),
        'skills/a/references/guide.md': 'Read me.',
        'skills/a/.hidden': 'secret',
        'skills/a/node_modules/x/index.js': 'secret',
        'skills/a/inner/SKILL.md': skillText('inner'),
        'skills/low/skill.md': skillText('low'),
        'skills/shy/SKILL.md': skillText('shy', 'Shy.', 'disable-model-invocation: true\n'),
        'skills/code/cskill.md': '# Code\n\n## Description\n\nCounts.\n',
        'skills/loose.md': skillText('loose'),
      });
      symlinkSync(files.at('outside.txt'), files.at('skills/a/link.txt'));
      mkdirSync(files.at('skills/a/far'));
      symlinkSync(files.path, files.at('skills/a/far/up'));
      await using fixture = await openServerFixture(await agentOn(files));
      const client = await fixture.client(era);
      const skills = new SkillsClient(client);
      assert.equal(skills.supported, true);
      const { skills: listed } = await skills.list();
      assert.deepEqual(
        listed.map(({ uri }) => uri),
        ['skill://a/SKILL.md', 'skill://low/SKILL.md'],
      );
      const [first] = listed;
      assert.ok(first !== undefined && first.resources !== 'dynamic');
      assert.deepEqual(
        first.resources.map(({ uri }) => uri),
        ['skill://a/SKILL.md', 'skill://a/references/guide.md'],
      );
      const guide = await skills.read(first, 'references/guide.md');
      assert.equal(guide.verified, true);
      assert.equal('text' in guide ? guide.text : '', 'Read me.');
      for (const path of ['.hidden', 'link.txt', 'far/up/outside.txt', '../../outside.txt', 'inner/SKILL.md'])
        await assert.rejects(client.readResource({ uri: `skill://a/${path}` }), path);
      files.write('skills/a/references/guide.md', 'Do evil.');
      await assert.rejects(skills.read(first, 'references/guide.md'));
    });

  test('and are told when there are others, as they are of tools', async () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a') });
    await using fixture = await openServerFixture(await agentOn(files, true));
    const client = await fixture.client('2025-11-25');
    const notified = ['notifications/tools/list_changed', 'notifications/resources/list_changed'].map(
      (method) =>
        new Promise((resolve) => {
          client.setNotificationHandler(method as 'notifications/tools/list_changed', resolve);
        }),
    );
    files.write('skills/b/SKILL.md', skillText('b'));
    await settled(Promise.all(notified));
    const names = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(), ['a', 'b']);
    const { skills } = await new SkillsClient(client).list();
    assert.deepEqual(
      skills.map(({ uri }) => uri),
      ['skill://a/SKILL.md', 'skill://b/SKILL.md'],
    );
  });
});
