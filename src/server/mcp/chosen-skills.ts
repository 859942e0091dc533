import type { RecursiveSkilledAgent } from '../../agent/recursive-skilled-agent.ts';
import { offeredSkills, type Offered } from '../../skills/catalog/entries.ts';

/** Which skills are served. */
export interface Choice {
  /** Only these, by any of their names; also the package's own. */
  readonly names?: readonly string[];
  /** Also the package's own, as `read` and `bash`. */
  readonly internals?: boolean;
}

/** The skills that are served, as the registry is now, each with the name that leads to it. */
export function chosenSkills(
  { skills }: RecursiveSkilledAgent,
  { names, internals }: Choice,
): readonly Offered[] {
  const all = skills.list();
  if (names === undefined) return offeredSkills(all, { internals });
  const wanted = new Set(names.map((name) => skills.get(name)));
  return offeredSkills(all, { internals: true }).filter(({ skill }) => wanted.has(skill));
}
