import type { CollectedSkill, Collection, Query } from './collection.ts';

/** The sizes of the collections, and the number of collections of each size. */
const plan = [
  { size: 8, times: 24 },
  { size: 25, times: 12 },
  { size: 80, times: 6 },
  { size: 300, times: 3 },
];
const maxIdle = 60;
const maxForeign = 30;
const largestStrange = 30; // in larger collections, another skill may also fit

/**
 * Draws small collections from a large one. The result is always the same. Half of the skills are relevant to
 * some prompts. Prompts without any relevant skill in a small collection become prompts that need no skill.
 */
export function subsetsOf(collection: Collection): readonly Collection[] {
  const next = numbers(11);
  const asked = new Set(collection.queries.flatMap(({ relevant }) => relevant));
  const [relevantSkills, others] = [true, false].map((isAsked) =>
    collection.skills.filter(({ id }) => asked.has(id) === isAsked),
  );
  return plan.flatMap(({ size, times }) =>
    Array.from({ length: times }, () =>
      subset(
        collection,
        [...some(relevantSkills ?? [], size / 2, next), ...some(others ?? [], size / 2, next)],
        next,
      ),
    ),
  );
}

function subset(
  collection: Collection,
  skills: readonly CollectedSkill[],
  next: (below: number) => number,
): Collection {
  const ids = new Set(skills.map(({ id }) => id));
  const isHere = ({ relevant }: Query): boolean => relevant.some((id) => ids.has(id));
  const strangers =
    skills.length > largestStrange ? [] : collection.queries.filter((query) => !isHere(query));
  const foreign = some(strangers, maxForeign, next);
  return {
    skills,
    queries: collection.queries.filter(isHere),
    abstain: [
      ...some(collection.abstain, maxIdle, next),
      ...foreign.map((query) => ({ ...query, relevant: [] })),
    ],
  };
}

function some<Item>(items: readonly Item[], count: number, next: (below: number) => number): readonly Item[] {
  const left = [...items];
  const taken: Item[] = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(next(left.length), 1));
  return taken;
}

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
