import type { SkillSelected } from '../core/routing-event.ts';

/** Which skill answers and who chose it, in a sentence. Pure. */
export function selectionText({ skill, by, reason }: SkillSelected): string {
  const choice = by === 'nothing' ? 'Nothing fits' : `"${skill}" ${choices[by]}`;
  return reason === undefined ? `${choice}.` : `${choice}: ${reason}`;
}

const choices = {
  name: 'was chosen by its name',
  ranking: 'was chosen by the ranking',
  session: 'was chosen because it worked last in this session, and the words are for it',
  model: 'was chosen by a model',
  'ad-hoc': 'was made for this prompt, as no skill alone clearly fits',
} as const;
