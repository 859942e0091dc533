import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { leaveHome } from '../support/command.ts';
import { createStage, type Stage } from './stage.ts';
import { runSkill } from './report.ts';

leaveHome();

/**
 * Creates a workspace with internal links: `notes/escape` to a file, `notes/up` to the top, `alias` to
 * `private`.
 */
function linkedStage(): Stage {
  const stage = createStage();
  stage.write('important.txt', 'important');
  stage.write('private/key.txt', 'canary-key');
  mkdirSync(stage.at('notes'));
  symlinkSync('../important.txt', stage.at('notes/escape'));
  symlinkSync('..', stage.at('notes/up'));
  symlinkSync('private', stage.at('alias'));
  return stage;
}

describe('a rule about paths', () => {
  test('that allows a folder allows nothing that a link in it leads to', async () => {
    using stage = linkedStage();
    const allow = ['Write(notes/**)', 'Edit(notes/**)'];
    await using agent = stage.agent({ permissions: { allow } });
    for (const [skill, input] of [
      ['write', { file_path: 'notes/escape', content: 'x' }],
      ['write', { file_path: 'notes/up/important.txt', content: 'x' }],
      ['edit', { file_path: 'notes/escape', old_string: 'important', new_string: 'x' }],
      ['edit', { file_path: 'notes/up/important.txt', old_string: 'important', new_string: 'x' }],
    ] as const) {
      await runSkill(agent, { skill, input });
      assert.equal(readFileSync(stage.at('important.txt'), 'utf8'), 'important', JSON.stringify(input));
    }
  });

  test('that denies a folder denies it under every name, and to every search', async () => {
    using stage = linkedStage();
    const deny = ['Read', 'Grep', 'Glob'].map((tool) => `${tool}(private/**)`);
    await using agent = stage.agent({ permissions: { deny } });
    for (const [skill, input] of [
      ['read', { file_path: 'private/key.txt' }],
      ['read', { file_path: 'alias/key.txt' }],
      ['read', { file_path: 'notes/up/private/key.txt' }],
      ['grep', { pattern: '.', path: 'alias', output_mode: 'content' }],
      ['grep', { pattern: 'canary', path: '.', output_mode: 'content' }],
      ['grep', { pattern: 'canary', output_mode: 'content' }],
      ['glob', { pattern: '**', path: 'alias' }],
      ['glob', { pattern: '**/key*' }],
    ] as const) {
      const { result } = await runSkill(agent, { skill, input });
      assert.doesNotMatch(
        JSON.stringify(result),
        /canary-key|private\/key\.txt:|"private\/key\.txt"/,
        JSON.stringify(input),
      );
    }
  });
});
