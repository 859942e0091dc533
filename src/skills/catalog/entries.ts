import type { Skill } from '../../core/skill.ts';
import type { CatalogEntry } from './entry.ts';

/** Which skills a catalog is made of. */
export interface EntryOptions {
  /** Also the package's own tools, which models are otherwise offered as tools only. */
  readonly internals?: boolean | undefined;
}

/** The skills that a model may be shown: ready, listed and free for models to choose; where two share a name, by qualified names. */
export function catalogEntries(
  skills: readonly Skill[],
  { internals = false }: EntryOptions = {},
): readonly CatalogEntry[] {
  const ready = skills.filter(({ status }) => status === 'ready');
  const shared = sharedNames(ready);
  const entries: CatalogEntry[] = [];
  for (const skill of ready) {
    const { card } = skill;
    if (card.modelInvocable === false || card.listed === false) continue;
    if (!internals && isInternal(skill)) continue;
    const name = shared.has(skill.name) ? qualifiedName(skill) : skill.name;
    entries.push({
      name,
      description: card.description,
      whenToUse: card.whenToUse,
      location: skill.file === '' ? `skill:${name}` : skill.file,
      always: card.requires?.always,
    });
  }
  return entries;
}

function sharedNames(skills: readonly Skill[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(skills.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

/** A skill of the package that is made in code: a tool. */
function isInternal({ source, made }: Skill): boolean {
  return source === 'bundled' && made !== undefined;
}

function qualifiedName({ name, source, aliases }: Skill): string {
  return aliases.find((alias) => alias.startsWith(`${source}:`)) ?? name;
}
