import { applySkillsPromptLimits } from '../../src/skills/catalog/catalog.ts';
import { attackers, type Attacker } from './attackers.ts';
import type { CollectedSkill, Query } from './collection.ts';
import { mean, share } from './metrics.ts';
import type { Prepared } from './prepared.ts';

/** The share of prompts whose skill keeps its place, of those that have it without the attack. */
export interface AttackResult {
  readonly attacker: string;
  readonly topFive: number;
  readonly catalog: number;
  /** The mean number of places in the top five that the attackers take. */
  readonly taken: number;
}

/** How to attack a collection. */
interface Attack {
  /** The number of attacking skills. */
  readonly skills: number;
  readonly prompts: number;
  /** The number of different skills of an attacker, so that not every one needs its own vectors. */
  readonly different: number;
  readonly maxTokens: number;
}

/**
 * R8: adds skills that attack a prompt, and measures whether the right skill remains in the top five and in a
 * catalog that is chosen for the prompt.
 */
export async function attack(prepared: Prepared, how: Attack): Promise<readonly AttackResult[]> {
  const { queries } = prepared.collection;
  const step = queries.length / how.prompts;
  const chosen = Array.from({ length: how.prompts }, (_, index) => queries[Math.floor(index * step)]);
  const all: AttackResult[] = [];
  for (const attacker of attackers) {
    const results: { five?: boolean; catalog?: boolean; taken: number }[] = [];
    for (const query of chosen)
      if (query !== undefined) results.push(await attackOne(prepared, query, attacker, how));
    all.push({
      attacker: attacker.name,
      topFive: share(
        results.filter(({ five }) => five !== undefined),
        ({ five }) => five === true,
      ),
      catalog: share(
        results.filter(({ catalog }) => catalog !== undefined),
        ({ catalog }) => catalog === true,
      ),
      taken: mean(results.map(({ taken }) => taken)),
    });
  }
  return all;
}

async function attackOne(
  { collection, ranker, vectors }: Prepared,
  { query, relevant }: Query,
  attacker: Attacker,
  how: Attack,
): Promise<{ five?: boolean; catalog?: boolean; taken: number }> {
  const vector = vectors.get(query);
  const before = ranker.rank(query, { limit: 150, vector }).ranked.map(({ key }) => key);
  const byId = new Map(collection.skills.map((skill) => [skill.id, skill]));
  const best = before.slice(0, 20).flatMap((key) => byId.get(key) ?? []);
  const dice = createDice(query.length);
  const written = Array.from({ length: how.different }, (_, index) =>
    attacker.write({ prompt: query, best, skills: collection.skills }, index, dice),
  );
  const foes = Array.from({ length: how.skills }, (_, index): CollectedSkill => {
    const foe = written[index % written.length] ?? { name: '', description: '', body: '' };
    return { ...foe, id: `foe-${index}` };
  });
  for (const foe of foes) ranker.add(foe.id, foe);
  const waiting = setInterval(() => undefined, 1_000); // The encoder's thread does not keep the process alive.
  await ranker.meanings?.learn();
  clearInterval(waiting);
  const after = ranker.rank(query, { limit: 150, vector }).ranked.map(({ key }) => key);
  for (const foe of foes) ranker.remove(foe.id);
  const isIn = (keys: readonly string[]): boolean => relevant.some((id) => keys.includes(id));
  const shown = (skills: readonly CollectedSkill[], relevance: readonly string[]): readonly string[] => {
    const entries = skills.map(({ id, description }) => ({
      name: id,
      description: description.slice(0, 1_024),
      location: `~/.agents/skills/${id}/SKILL.md`,
    }));
    const { omitted } = applySkillsPromptLimits(
      entries,
      { maxTokens: how.maxTokens },
      { request: query, relevance },
    );
    const left = new Set(omitted);
    return entries.flatMap(({ name }) => (left.has(name) ? [] : [name]));
  };
  return {
    ...(isIn(before.slice(0, 5)) ? { five: isIn(after.slice(0, 5)) } : {}),
    ...(isIn(shown(collection.skills, before))
      ? { catalog: isIn(shown([...collection.skills, ...foes], after)) }
      : {}),
    taken: after.slice(0, 5).filter((key) => key.startsWith('foe-')).length,
  };
}

function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
