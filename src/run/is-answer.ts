import { familyOf } from '../core/family-of.ts';
import type { OpenQuestion } from '../core/run.ts';
import type { Kernel } from './kernel.ts';

/** Whether words that were said while a question waits answer it: the family of the skill that asks may say that they do not. */
export function isAnswer(
  { registry, definitionOf }: Pick<Kernel, 'registry' | 'definitionOf'>,
  question: OpenQuestion,
  words: string,
): boolean {
  const { lookup, families } = registry();
  const skill = lookup.find(question.path.at(-1) ?? '');
  const family = familyOf(families, skill);
  if (skill === undefined || family?.answers === undefined) return true;
  try {
    return family.answers(definitionOf(skill, family), question, words.trim());
  } catch {
    return true; // its file cannot be read any more: whoever takes up the run says so
  }
}
