import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Skill } from '../../../core/skill.ts';
import type { Chat } from './context.ts';
import { showHelp, showSkills } from './slash-answers.ts';
import { chatCommands } from './slash-commands.ts';

for (const columns of [40, 60, 80, 200])
  test(`help fits ${columns} columns, and breaks no word`, () => {
    const { text } = showHelp(chatCommands, columns);
    const lines = text.split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > columns),
      [],
    );
    const wordsOf = (shown: string): readonly string[] => shown.split(/\s+/).toSorted();
    assert.deepEqual(wordsOf(text), wordsOf(showHelp(chatCommands).text));
    for (const { name } of chatCommands) assert.match(text, new RegExp(`^ {2}/${name}\\b`, 'm'));
  });

type Ranking = Awaited<ReturnType<RecursiveSkilledAgent['skills']['rank']>>;

/** Creates a conversation whose ranking by meaning knows every skill, as with an encoder. */
function ranked(candidates: Ranking['candidates']): Chat {
  const all = candidates.map(({ name }) => ({ name, card: { description: '' }, status: 'ready' }) as Skill);
  const ranking: Ranking = { candidates, threshold: 0.3, margin: 0.5, abstain: false, by: 'meaning' };
  const skills = {
    list: () => all,
    get: (name: string) => all.find((skill) => skill.name === name),
    rank: () => Promise.resolve(ranking),
  };
  const agent = { skills } as unknown as RecursiveSkilledAgent;
  return { agent, invocation: { terminal: {} } } as Chat;
}

test('the skills for some words are not those whose meaning is far off', async () => {
  const near = { name: 'slides', score: 0.6, why: [] };
  const shared = { name: 'talks', score: 0.01, why: ['talk'] };
  const far = { name: 'invoices', score: 0.01, why: [] };
  const { text } = await showSkills(ranked([near, shared, far]), 'a talk');
  assert.match(text, /^TYPE +DESCRIPTION\n\/slides\s+\/talks\s*$/);
  assert.equal((await showSkills(ranked([far]), 'a talk')).text, 'No skill matches.\n');
});
