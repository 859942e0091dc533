import { optional, type Scope, type Skill } from '../../core/index.ts';
import { fromServer } from '../servers/tool-skill.ts';
import { createSkillTool, skillToolName, type ReachedSkill } from './skill-tool.ts';
import { reachingName, skillTools, type LoopTool } from './tools.ts';

/** Options for selecting the tools that a model is offered. */
export interface OfferRequest {
  /** The user's request. The request determines which skills are offered if there are too many. */
  readonly request?: string;
  /** How to offer skills whose text can be loaded: through a catalog, or not at all. Default: `catalog`. */
  readonly skills?: 'catalog' | 'none';
  /**
   * The names of skills that match the request, best match first. If there are too many skills, these come
   * first. If set, skills on the caller's list of allowed skills are offered like all others.
   */
  readonly bestFirst?: readonly string[];
}

const maxOwn = 64; // The maximum number of tools, not counting the `skill` tool.

/**
 * Returns a function that lists the callable skills as tools. A loop calls this function before each model
 * step. If the caller has a list of allowed skills, each callable skill is a separate tool. Otherwise, the
 * tool `skill` gives access to skills with loadable texts, and to skills beyond the maximum number of tools.
 * The list is the same object until the callable skills change.
 */
export async function offerTools(
  scope: Scope,
  { request, skills = 'catalog', bestFirst }: OfferRequest = {},
): Promise<() => Promise<readonly LoopTool[]>> {
  const skillTool = createSkillTool(scope);
  let reachedBefore: readonly Skill[] = [];
  let description = '';
  let isPartial = false;

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
      ({ description, isPartial } = await describe(scope, {
        hasCatalog: loadable.length > 0,
        more,
        request,
      }));
      reachedBefore = reached;
    }
    const { search } = scope.skills;
    const offered = isPartial && search !== undefined ? [search, ...own] : own;
    const tools = skillTools(offered, scope, { among: callable, taken: [skillToolName] });
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
  /** Skills that are not separate tools, because there are too many. */
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
  const fitting = new Set(withinBudget(others).slice(0, maxOwn));
  return {
    own: others.filter((skill) => fitting.has(skill)),
    loadable: skills === 'none' ? [] : callable.filter(isLoadable),
    crowded: others.filter((skill) => !fitting.has(skill)),
  };
}

const maxForServers = 24_000; // The maximum length of all server tools' descriptions combined, in characters.

/**
 * Omits server tools once the combined length of their descriptions exceeds the limit. Keeps all other
 * skills.
 */
function withinBudget(skills: readonly Skill[]): readonly Skill[] {
  let room = maxForServers;
  return skills.filter(({ source, card }) => {
    if (source !== fromServer || card.label === undefined) return true;
    return (room -= card.description.length + JSON.stringify(card.input ?? null).length) >= 0;
  });
}

/** Sorts bundled and host-defined skills first, and then by name. */
function byRank(one: Skill, other: Skill): number {
  const isNear = ({ source, codeDefinition }: Skill): boolean =>
    source === 'bundled' || (codeDefinition !== undefined && source !== fromServer);
  return Number(isNear(other)) - Number(isNear(one)) || (one.name < other.name ? -1 : 1);
}

/**
 * Places the skill `FindSkills` first, because it finds skills that are not shown. Sorts other skills by
 * their position in `bestFirst`.
 */
function byFit(bestFirst: readonly string[]): (one: Skill, other: Skill) => number {
  const positions = new Map(bestFirst.map((name, position) => [name, position]));
  const positionOf = ({ name, card }: Skill): number =>
    card.label === 'FindSkills' ? -1 : (positions.get(name) ?? bestFirst.length);
  return (one, other) => positionOf(one) - positionOf(other) || byRank(one, other);
}

const longest = 8_000; // The maximum number of characters in the `skill` tool's description.
// The maximum number of characters for the names of skills without their own tool.
const longestNames = 2_000;
const head =
  'Loads a skill: instructions for one kind of task, which you follow with your other tools. ' +
  'Some skills do the work themselves; then you get their result.';

interface Described {
  readonly hasCatalog: boolean;
  readonly more: readonly string[];
  readonly request: string | undefined;
}

/**
 * Builds the description of the `skill` tool. The description contains the tool's purpose, the skills that
 * are not separate tools, and as much of the catalog as fits. The description is partial if some skills are
 * omitted or only named.
 */
async function describe(
  scope: Scope,
  { hasCatalog, more, request }: Described,
): Promise<{ readonly description: string; readonly isPartial: boolean }> {
  const before = more.length === 0 ? head : `${head}\n\nThey include ${fitting(more)}`;
  const isPartial = more.length > 0;
  if (!hasCatalog) return { description: before, isPartial };
  const maxChars = longest - before.length - 2;
  const { text, omitted } = await scope.skills.catalog({
    loadable: true,
    maxChars,
    ...optional('request', request),
  });
  const description = text === '' ? before : `${before}\n\n${text}`;
  return { description, isPartial: isPartial || omitted.length > 0 };
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
