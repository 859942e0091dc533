import { optional, type Skill } from '../core/index.ts';
import { reachIn } from '../run/permissions/callable.ts';
import { letsUse, ownList, reachedAs, type ToolList } from '../run/permissions/tool-lists.ts';
import { cardOf } from '../skills/catalog/entries.ts';
import type { Registry } from '../skills/registry/registry.ts';
import { byName } from './call-graph.ts';

/** Everything that a skill can reach: the skills and tools that it may call, directly or indirectly. */
export interface ToolReach {
  /** The sorted names of the reachable skills that are not tools. */
  readonly skills: readonly string[];
  /** The reachable tools, sorted by name. */
  readonly tools: readonly ReachedTool[];
}

/** A tool that a skill can reach. */
export interface ReachedTool {
  readonly name: string;
  /** The tool's name in permission rules. */
  readonly rule: string;
  /** The skills on the call path whose lists limit the tool, outermost first. Absent if there are none. */
  readonly limitedBy?: readonly string[];
}

/** A skill that was reached, with the tool lists of the skills on the call path to it. */
interface Visit {
  readonly skill: Skill;
  readonly lists: readonly ToolList[];
}

/**
 * Returns everything that a skill can reach when a user calls it. Follows all lists of allowed skills, and
 * applies the tool lists of all skills on the call path. Excludes tools that are not known until a server is
 * opened. Pure.
 */
export function toolReachOf(registry: Registry, start: Skill): ToolReach {
  const reachOf = reachIn(registry);
  const reached = new Map<Skill, readonly ToolList[]>();
  const visited = new Visited();
  const queue: Visit[] = [{ skill: start, lists: [] }];
  for (const { skill, lists } of queue) {
    const own = ownList(skill);
    const isListed = (own.allowed ?? own.disallowed ?? own.bound) !== undefined;
    const below = isListed && !lists.some((list) => list.skill === skill) ? [...lists, own] : lists;
    const { named, group } = reachOf(skill);
    const { rules, except, within } = group ?? {};
    // Groups with equal rules and lists contain the same skills, except for the calling skill itself.
    const isNew = group !== undefined && visited.add(JSON.stringify([rules, except, within]), below);
    const others = isNew ? registry.skills.filter((one) => group.has(one)) : [];
    for (const callee of [...named, ...others]) {
      if (callee.status !== 'ready' || !below.every((list) => letsUse(registry, list, callee))) continue;
      if (!visited.add(callee, below)) continue;
      const before = reached.get(callee);
      if (before === undefined || below.length < before.length) reached.set(callee, below);
      queue.push({ skill: callee, lists: below });
    }
  }
  const found = [...reached].map(([skill, lists]) => ({ skill, lists, name: reachedAs(registry, skill) }));
  found.sort(byName);
  return {
    skills: found.filter(({ skill }) => cardOf(skill).label === undefined).map(({ name }) => name),
    tools: found.flatMap(({ skill, lists, name }): readonly ReachedTool[] => {
      const rule = cardOf(skill).label;
      if (rule === undefined) return [];
      const limitedBy = lists.map((list) => list.skill.name);
      return [{ name, rule, ...optional('limitedBy', limitedBy.length === 0 ? undefined : limitedBy) }];
    }),
  };
}

const maxWays = 64; // The maximum number of combinations of tool lists to follow for each skill.

/**
 * Records the tool lists under which each skill and group was reached. A path with the same lists and
 * additional ones cannot reach anything new.
 */
class Visited {
  readonly #ways = new Map<unknown, (readonly ToolList[])[]>();

  /** Records the tool lists on a call path. Returns false if the path need not be followed. */
  add(target: unknown, lists: readonly ToolList[]): boolean {
    const ways = this.#ways.get(target) ?? [];
    this.#ways.set(target, ways);
    const skills = new Set(lists.map(({ skill }) => skill));
    if (ways.length >= maxWays || ways.some((way) => way.every(({ skill }) => skills.has(skill))))
      return false;
    ways.push(lists);
    return true;
  }
}
