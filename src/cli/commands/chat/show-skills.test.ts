import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { Skill } from '../../../core/skill.ts';
import type { Chat } from './chat.ts';
import { showSkills } from './show-skills.ts';

type Ranking = Awaited<ReturnType<RecursiveSkilledAgent['skills']['rank']>>;

/** A conversation whose ranking by meaning knows every skill, as an encoder does. */
function ranked(candidates: Ranking['candidates']): Chat {
  const all = candidates.map(({ name }) => ({ name, card: { description: '' }, status: 'ready' }) as Skill);
  const ranking: Ranking = { candidates, threshold: 0.3, abstain: false, by: 'meaning' };
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
  assert.equal((await showSkills(ranked([far]), 'a talk')).text, 'No skill fits these words.\n');
});
