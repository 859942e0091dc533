import { count } from '../../../doctor/report.ts';
import { oneLine } from '../../output/text.ts';
import type { Chat, Said } from './chat.ts';
import { slashSkills } from './slash-skills.ts';

/** Looks at the disk and the settings again, and says which commands came and went. */
export async function reloadSkills(chat: Chat): Promise<Said> {
  const before = namesOf(chat);
  await chat.agent.reload();
  const after = namesOf(chat);
  const added = [...after].filter((name) => !before.has(name));
  const removed = [...before].filter((name) => !after.has(name));
  const changes = [...listed('new', added), ...listed('gone', removed)].join('; ');
  const text = `${count(after.size, 'skill')} to call${changes === '' ? '' : `; ${changes}`}.\n`;
  return { text, document: { ok: true, skills: after.size, added, removed } };
}

function namesOf(chat: Chat): ReadonlySet<string> {
  return new Set(slashSkills(chat).map(({ name }) => name));
}

function listed(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map((name) => `/${oneLine(name)}`).join(', ')}`];
}
