import type { CollectedSkill, Collection, Query } from './collection.ts';

const sizes = [8, 11, 16, 23, 30];
const maxPrompts = 80;

/** A small collection whose prompts come from one source. */
export interface SmallCollection extends Collection {
  readonly source: string;
}

/**
 * R7: draws `times` small collections of each size for each source of prompts. Each skill is relevant to a prompt
 * of that source. Without `bodies`, the skills consist of a name and a description. The result is always the same.
 */
export function smallCollections(
  { skills, queries }: Collection,
  {
    times,
    seed,
    bodies = true,
  }: { readonly times: number; readonly seed: number; readonly bodies?: boolean },
): readonly SmallCollection[] {
  const dice = createDice(seed);
  const bySource = Map.groupBy(queries, ({ source }) => source);
  return [...bySource].flatMap(([source, own]) => {
    const relevant = new Set(own.flatMap((query) => query.relevant));
    const asked = skills.filter(({ id }) => relevant.has(id));
    return sizes.flatMap((size) =>
      Array.from({ length: times }, () => {
        const chosen = some(asked, size, dice).map((skill) => (bodies ? skill : { ...skill, body: '' }));
        return { source, skills: chosen, queries: promptsFor(chosen, own, dice), abstain: [] };
      }),
    );
  });
}

function promptsFor(
  skills: readonly CollectedSkill[],
  queries: readonly Query[],
  dice: (below: number) => number,
): readonly Query[] {
  const ids = new Set(skills.map(({ id }) => id));
  return some(
    queries.filter(({ relevant }) => relevant.some((id) => ids.has(id))),
    maxPrompts,
    dice,
  );
}

function some<Item>(items: readonly Item[], count: number, dice: (below: number) => number): readonly Item[] {
  const left = [...items];
  const taken: Item[] = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(dice(left.length), 1));
  return taken;
}

function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
