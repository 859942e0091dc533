import { familyOf } from '../core/family-of.ts';
import type { Skill } from '../core/skill.ts';
import { isInternal } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import { callableIn } from './callable.ts';

/** The skills that a prompt which names none may lead to. */
export interface Surface {
  /** Those that hand a prompt on to other skills. */
  readonly routers: readonly Skill[];
  /** Those that do the work. */
  readonly workers: readonly Skill[];
  /** The package's own, which take no prompt as a whole; none where they are not to be offered. */
  readonly tools: readonly Skill[];
}

const made = new WeakMap<Registry, Map<boolean, Surface>>();

/** The top of a registry: what models may choose, without what a router has for itself; the same one for as long as the registry is. */
export function surfaceOf(registry: Registry, withInternals: boolean): Surface {
  const known = made.get(registry) ?? new Map<boolean, Surface>();
  made.set(registry, known);
  const before = known.get(withInternals);
  if (before !== undefined) return before;
  const surface = make(registry, withInternals);
  known.set(withInternals, surface);
  return surface;
}

function make(registry: Registry, withInternals: boolean): Surface {
  const owned = ownersOf(registry);
  const shown = callableIn(registry, undefined).filter(
    (skill) => !owned.has(skill) && (withInternals || skill.source !== 'bundled'),
  );
  const {
    routers = [],
    workers = [],
    tools = [],
  } = Object.groupBy(shown, (skill) =>
    isInternal(skill) ? 'tools' : isRouter(registry, skill) ? 'routers' : 'workers',
  );
  return { routers, workers, tools };
}

/** Whether a skill hands prompts on to others: its family makes such skills. */
function isRouter({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.adHoc !== undefined;
}

/**
 * The skills that explicit lists of routers name, and by whom: they are reached through those. What comes with the
 * package belongs to nobody, and two routers that lead to each other do not hide each other.
 */
export function ownersOf(registry: Registry): ReadonlyMap<Skill, readonly Skill[]> {
  const routers = registry.skills.filter((skill) => skill.status === 'ready' && isRouter(registry, skill));
  const named = new Map(routers.map((router) => [router, namedBy(registry, router)]));
  const owned = new Map<Skill, Skill[]>();
  for (const [router, skills] of named) {
    for (const skill of skills) {
      if (skill === router || skill.source === 'bundled' || leadsTo(skill, router, named)) continue;
      owned.set(skill, [...(owned.get(skill) ?? []), router]);
    }
  }
  return owned;
}

function namedBy({ lookup }: Registry, { card }: Skill): ReadonlySet<Skill> {
  const found = (card.allowedSkills ?? []).map((name) => lookup.find(name));
  return new Set(found.filter((skill) => skill !== undefined));
}

function leadsTo(from: Skill, to: Skill, named: ReadonlyMap<Skill, ReadonlySet<Skill>>): boolean {
  const seen = new Set([from]);
  for (const skill of seen) {
    for (const next of named.get(skill) ?? []) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}
