import { optional, type Scope, type Skill } from '../../core/index.ts';
import { createSkillTool, skillToolName, type ReachedSkill } from './skill-tool.ts';
import { reachingName, skillTools, type LoopTool } from './tools.ts';

/** What the tools are for. */
export interface OfferRequest {
  /** Decides which skills are shown when not all fit. */
  readonly request?: string;
  /** Whether skills whose texts can be loaded are offered by a catalog, or not at all. Default `catalog`. */
  readonly skills?: 'catalog' | 'none';
  /** The names of skills that fit the request, best first: these get room before others, and an explicit list is offered like none. */
  readonly bestFirst?: readonly string[];
}

const mostOwn = 64; // tools beside the one for all other skills

/**
 * The tools of a loop over the callable skills. With an explicit list each skill is a tool of its own; otherwise those
 * whose texts can be loaded are reached through the one tool `skill`, and so are those that found no room. The list is
 * the same object for as long as the same skills can be called.
 */
export async function offerTools(
  scope: Scope,
  { request, skills = 'catalog', bestFirst }: OfferRequest = {},
): Promise<() => Promise<readonly LoopTool[]>> {
  const skillTool = createSkillTool(scope);
  let reachedBefore: readonly Skill[] = [];
  let description = '';

  const make = async (callable: readonly Skill[]): Promise<readonly LoopTool[]> => {
    const { own, loadable, crowded } = shareOut(scope, callable, { skills, bestFirst });
    const reached = [...loadable, ...crowded];
    if (reached.length === 0) return skillTools(own, scope);
    const named = reached.map((skill): ReachedSkill => ({
      skill,
      called: reachingName(skill, callable, scope.skill),
    }));
    if (!isSame(reached, reachedBefore)) {
      const more = named.slice(loadable.length).map(({ called }) => called);
      description = await describe(scope, { hasCatalog: loadable.length > 0, more, request });
      reachedBefore = reached;
    }
    const tools = skillTools(own, scope, { among: callable, taken: [skillToolName] });
    return [skillTool({ description, reached: named, others: tools.map(({ name }) => name) }), ...tools];
  };

  let callable = scope.skills.callable;
  let tools = await make(callable);
  return async () => {
    const now = scope.skills.callable;
    if (!isSame(now, callable)) tools = await make((callable = now));
    return tools;
  };
}

function isSame(one: readonly Skill[], other: readonly Skill[]): boolean {
  return (
    one === other || (one.length === other.length && one.every((skill, index) => skill === other[index]))
  );
}

type BestFirst = readonly string[] | undefined;

interface Shares {
  readonly own: readonly Skill[];
  readonly loadable: readonly Skill[];
  /** Those that would be tools of their own and found no room. */
  readonly crowded: readonly Skill[];
}

function shareOut(
  scope: Scope,
  callable: readonly Skill[],
  { skills, bestFirst }: { readonly skills: 'catalog' | 'none'; readonly bestFirst: BestFirst },
): Shares {
  const isListed = scope.skill.card.allowedSkills !== undefined && bestFirst === undefined;
  if (isListed) return { own: callable, loadable: [], crowded: [] };
  const isLoadable = (skill: Skill): boolean => scope.skills.isLoadable(skill);
  const order = bestFirst === undefined ? byRank : byFit(bestFirst);
  const others = callable.filter((skill) => !isLoadable(skill)).toSorted(order);
  return {
    own: others.slice(0, mostOwn),
    loadable: skills === 'none' ? [] : callable.filter(isLoadable),
    crowded: others.slice(mostOwn),
  };
}

/** Skills that come with the program or the host first, then by name. */
function byRank(one: Skill, other: Skill): number {
  const isNear = ({ source, made }: Skill): boolean => source === 'bundled' || made !== undefined;
  return Number(isNear(other)) - Number(isNear(one)) || (one.name < other.name ? -1 : 1);
}

/** The search for skills that found no room, then those that are named in their order, then the rest. */
function byFit(bestFirst: readonly string[]): (one: Skill, other: Skill) => number {
  const places = new Map(bestFirst.map((name, place) => [name, place]));
  const placeOf = ({ name, card }: Skill): number =>
    card.label === 'FindSkills' ? -1 : (places.get(name) ?? bestFirst.length);
  return (one, other) => placeOf(one) - placeOf(other) || byRank(one, other);
}

const longest = 8_000; // characters of a description
const longestNames = 2_000; // of them for skills that found no room
const head =
  'Gives you a skill: instructions for one kind of task, to be followed with your other tools. ' +
  'Some skills do the work themselves; then you get what they came to.';

interface Described {
  readonly hasCatalog: boolean;
  readonly more: readonly string[];
  readonly request: string | undefined;
}

/** What the tool says of itself: what it does, the skills that found no room elsewhere, and the catalog in the room that is left. */
async function describe(scope: Scope, { hasCatalog, more, request }: Described): Promise<string> {
  const before = more.length === 0 ? head : `${head}\n\nAmong them are ${fitting(more)}`;
  if (!hasCatalog) return before;
  const maxChars = longest - before.length - 2;
  const { text } = await scope.skills.catalog({ loadable: true, maxChars, ...optional('request', request) });
  return text === '' ? before : `${before}\n\n${text}`;
}

function fitting(names: readonly string[]): string {
  let text = '';
  for (const [index, name] of names.entries()) {
    const next = text === '' ? name : `${text}, ${name}`;
    if (next.length > longestNames) return `${text} and ${names.length - index} more.`;
    text = next;
  }
  return `${text}.`;
}
