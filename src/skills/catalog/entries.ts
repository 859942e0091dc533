import type { Skill } from '../../core/skill.ts';
import type { CatalogEntry } from './entry.ts';
import { offeredSkills, type OfferOptions } from './offered.ts';

/** The entries of the skills that a model is offered. */
export function catalogEntries(
  skills: readonly Skill[],
  options: OfferOptions = {},
): readonly CatalogEntry[] {
  return offeredSkills(skills, options).map(({ name, skill: { card, file } }) => ({
    name,
    description: card.description,
    whenToUse: card.whenToUse,
    location: file === '' ? `skill:${name}` : file,
    always: card.requires?.always,
  }));
}
