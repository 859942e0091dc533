import type { Skill } from '../../../core/skill.ts';
import { firstStep } from '../../first-step.ts';
import { skillJson } from '../../output/json.ts';
import { pasteable } from '../../output/pasteable.ts';
import { table, type Cell } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import type { Chat, Said } from './chat.ts';
import { slashSkills } from './slash-skills.ts';

const mostFitting = 10;

/** The skills that people can call here, or of those the ones that fit some words, best first. */
export async function showSkills(chat: Chat, words: string): Promise<Said> {
  const { agent, invocation } = chat;
  const all = slashSkills(chat);
  const shown = words === '' ? all : await fitting(chat, words, all);
  const none =
    words === ''
      ? pasteable(firstStep(agent, invocation.flags).join('\n'), invocation.terminal)
      : 'No skill fits these words.';
  const text = shown.length === 0 ? `${none}\n` : table(columns, shown.map(rowOf), invocation.terminal);
  return { text, document: { ok: true, skills: shown.map((skill) => skillJson(skill)) } };
}

const columns = [{ title: 'TYPE', most: 40 }, { title: 'DESCRIPTION' }] as const;

function rowOf({ name, card }: Skill): readonly Cell[] {
  const typed = `/${name} ${card.argumentHint ?? ''}`;
  return [{ text: oneLine(typed) }, { text: oneLine(card.description) }];
}

/** By meaning every skill is a candidate, however far off; those count that apply, or share a word. */
async function fitting({ agent }: Chat, words: string, skills: readonly Skill[]): Promise<readonly Skill[]> {
  const { candidates, threshold } = await agent.skills.rank(words, { limit: skills.length, learn: false });
  const near = candidates.filter(({ score, why }) => score >= threshold || why.length > 0);
  const best = near.flatMap(({ name }) => agent.skills.get(name) ?? []);
  return best.filter((skill) => skills.includes(skill)).slice(0, mostFitting);
}
