import type { Skill } from '../../core/index.ts';
import { offeredSkills, type OfferOptions } from '../catalog/entries.ts';
import type { SkillRecord } from '../registry/record.ts';
import type { Ranker } from './ranker.ts';

/** The skills that can be candidates. */
export interface CandidateFilter extends OfferOptions {
  readonly family?: string | undefined;
  /**
   * The skills to rank, which can include the package's own tools. The names of candidates are cached for
   * each array.
   */
  readonly among?: readonly Skill[] | undefined;
}

/** A list of skills, and the index that was built from it. */
export interface Indexed {
  readonly skills: readonly SkillRecord[];
  readonly ranker: Ranker;
  readonly keys: ReadonlyMap<SkillRecord, string>;
  /** The names of candidates, keyed by skill key. Cached for each query. */
  readonly names: Map<unknown, ReadonlyMap<string, string>>;
}

/**
 * Returns the names of candidates. The result is cached, because listing ten thousand skills takes longer
 * than ranking them.
 */
export function namesFor(
  { internals, family, among }: CandidateFilter,
  { skills, keys, names }: Indexed,
): ReadonlyMap<string, string> {
  const asked = among ?? JSON.stringify([internals ?? false, family]);
  const known = names.get(asked);
  if (known !== undefined) return known;
  const allowed = among && new Set(among);
  const offered = offeredSkills(skills, { internals: internals ?? among !== undefined })
    .filter(({ skill }) => allowed?.has(skill) ?? (family === undefined || skill.family === family))
    .map(({ name, skill }) => [keys.get(skill) ?? '', name] as const);
  const found = new Map(offered);
  names.set(asked, found);
  return found;
}

/** Returns the key of a skill in the ranker. The key changes when the skill's text changes. */
export function keyOf(skill: SkillRecord): string {
  const identity =
    skill.file === ''
      ? JSON.stringify([skill.source, skill.name, skill.card.description, skill.card.whenToUse])
      : skill.file;
  return `${identity}#${skill.sum}#${skill.name}`;
}
