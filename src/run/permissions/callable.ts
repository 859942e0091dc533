import { getOrCreate, meansWhole, optional, parseRule, type Skill } from '../../core/index.ts';
import { offeredInternals } from './internal-skills.ts';
import { appliesTo, cardOf } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Frame } from '../calls/frame.ts';
import { deniedRules, openToolRules, withCompanions } from './tool-bounds.ts';
import { accessIncludes, isOpenRule, letsUse, meantAmong, ownList, toolLists } from './tool-lists.ts';

/**
 * The skills that a skill may call when a user calls it directly. The skills are listed by name or described
 * as a group.
 */
export interface SkillReach {
  readonly named: readonly Skill[];
  /** Names on the skill's list that match no skill. */
  readonly missing: readonly string[];
  readonly group?: SkillGroup;
}

/** A group of skills that a skill may call without listing their names. */
interface SkillGroup {
  /**
   * The rules in the descriptor that select the group's skills. If absent, the group contains all other
   * skills.
   */
  readonly rules?: readonly string[];
  /** The rules in the descriptor that exclude skills from the group. */
  readonly except?: readonly string[];
  /** The tools that the caller and its callees may use, as written in the descriptor. */
  readonly within?: readonly string[];
  /** The number of skills in the group that are not also listed by name. */
  readonly count: number;
  has(skill: Skill): boolean;
}

/**
 * Returns a function that finds the skills that a skill may call, from the same lists as `callableIn`.
 * Assumes for skills with `paths` that a matching file was used. Skills with equal lists share a group.
 */
export function reachIn(registry: Registry): (caller: Skill) => SkillReach {
  const groupOf = groupsIn(registry);
  return (caller) => {
    const { allowedSkills } = cardOf(caller);
    if (allowedSkills === undefined) return { ...groupOf(caller), missing: [] };
    const list = ownList(caller);
    return {
      named: skillsNamed(registry, allowedSkills).filter((skill) => letsUse(registry, list, skill)),
      missing: [...new Set(allowedSkills)].filter((name) => registry.lookup.find(name) === undefined),
    };
  };
}

/**
 * Returns a function for skills without a list of callable skills. The function returns the skills that the
 * tool rules name, and a group of the other skills that the rules allow.
 */
function groupsIn(registry: Registry): (caller: Skill) => Pick<SkillReach, 'named' | 'group'> {
  const all = new Set<Skill>(registry.skills.filter(mayBeChosen));
  const byName = Map.groupBy(all, ({ name }) => name);
  const meant = meantAmong(registry, all);
  const sizes = new Map<string, number>();
  return (caller) => {
    const { allowed, disallowed = [], bound } = ownList(caller);
    const { rules, names = [] } = Object.groupBy(
      allowed === undefined ? [] : openToolRules(registry, allowed),
      (rule) => (isOpenRule(rule) ? 'rules' : 'names'),
    );
    const except = deniedRules(registry, disallowed).filter(meansAll);
    const taken = meant(withCompanions(except), 'forbid');
    const inBound = (skill: Skill): boolean =>
      bound === undefined || letsUse(registry, { skill: caller, bound }, skill);
    const isLeft = (skill: Skill): boolean =>
      skill.name !== caller.name && !taken.has(skill) && inBound(skill);
    const direct = new Set([...meant(names, 'allow')].filter(isLeft));
    const named = [...direct];
    if (allowed !== undefined && rules === undefined) return { named };
    const base = rules === undefined ? all : meant(rules, 'allow');
    const key = JSON.stringify([rules ?? null, except, bound?.rules ?? null]);
    const left = bound === undefined ? base : new Set([...base].filter(inBound));
    const size = sizes.get(key) ?? left.size - [...taken].filter((skill) => left.has(skill)).length;
    sizes.set(key, size);
    const itself = (byName.get(caller.name) ?? []).filter((skill) => !taken.has(skill) && inBound(skill));
    const counted = [...named, ...itself].filter((skill) => base.has(skill)).length;
    return {
      named,
      group: {
        ...optional('rules', rules),
        ...optional('except', except.length === 0 ? undefined : except),
        ...optional('within', bound?.rules),
        count: size - counted,
        has: (skill) => base.has(skill) && isLeft(skill) && !direct.has(skill),
      },
    };
  };
}

function meansAll(text: string): boolean {
  const rule = parseRule(text);
  return rule !== undefined && meansWhole(rule);
}

/** Options, other than the frames' lists, that determine which skills are callable. */
export interface CallableOptions {
  readonly enforcesTools?: boolean;
  /** Whether models are also offered those of the package's own skills that no list names. Default: true. */
  readonly exposesInternals?: boolean;
  readonly workspace?: string | undefined;
}

interface Known {
  readonly registry: Registry;
  /** A key for the frame state on which the result depends. */
  readonly state: string;
  readonly skills: readonly Skill[];
}

const callableByFrame = new WeakMap<Frame, Known>();

/**
 * Returns the skills that a frame may call. The frame's own skill and all skills above it must allow these
 * skills. Without a frame, returns the skills that a user may call. The list is cached, because there can be
 * thousands of skills and loops query the list at every step.
 */
export function callableIn(
  registry: Registry,
  frame: Frame | undefined,
  ways: CallableOptions = {},
): readonly Skill[] {
  if (frame === undefined) return callableBy(registry, undefined, [], () => true);
  const state = stateOf(frame, ways);
  const before = callableByFrame.get(frame);
  if (before?.registry === registry && before.state === state) return before.skills;
  const skills = callableNow(registry, frame, ways);
  callableByFrame.set(frame, { registry, state, skills });
  return skills;
}

/** Returns a key for the state of a frame. The key consists of the sizes of sets that only grow. */
function stateOf(
  { path, provided, active }: Frame,
  { enforcesTools = false, exposesInternals = true }: CallableOptions,
): string {
  const learned = path.map(({ loaded, touched }) => `${loaded.size}/${touched.size}`);
  return `${enforcesTools} ${exposesInternals} ${provided.size} ${active.size} ${learned.join(' ')}`;
}

function callableNow(registry: Registry, frame: Frame, ways: CallableOptions): readonly Skill[] {
  const { enforcesTools = false, exposesInternals = true, workspace = '/' } = ways;
  const { skill: caller } = frame;
  const lists = toolLists(frame, enforcesTools);
  const { all, activated } = skillsForFilesIn(registry, frame, workspace);
  const seesAll = caller === undefined || caller.card.allowedSkills !== undefined;
  const texts = lists.map(({ allowed, disallowed, bound }) =>
    [allowed, disallowed, bound?.rules].map((rules) => rules ?? null),
  );
  const names = [...activated].map(({ file, name }) => [file, name]);
  const areFor = (skill: Skill): boolean =>
    accessIncludes(registry, frame.access, skill) && lists.every((list) => letsUse(registry, list, skill));
  const known = callableBy(registry, caller, [texts, names, frame.access?.skills], (skill) => {
    const isCalledFor = seesAll || !all.has(skill) || activated.has(skill);
    return isCalledFor && areFor(skill);
  });
  const nested = seesAll && caller !== undefined ? [] : nestedIn(registry, frame).filter(areFor);
  const shown = exposesInternals ? known : known.filter(offeredInternals(registry, frame));
  const registered = nested.length === 0 ? shown : [...shown, ...nested];
  if (frame.provided.size === 0) return registered;
  const provided = [...frame.provided.values()]
    .filter(
      ({ skill, isOfClient }) => isOfClient === true || lists.every((list) => letsUse(registry, list, skill)),
    )
    .map(({ skill }) => skill);
  // A tool that a frame provides can also be in the registry.
  const labels = new Set(provided.flatMap(({ card }) => card.label ?? []));
  const isReplaced = ({ name, card }: Skill): boolean =>
    labels.has(card.label ?? '') || frame.provided.get(name)?.isOfClient === true;
  return [...provided, ...registered.filter((skill) => !isReplaced(skill))];
}

/** Returns the skills in the bundles of the frame's own skill and of the skills that it has loaded. */
function nestedIn(registry: Registry, { skill, active }: Frame): readonly Skill[] {
  const parents = new Set(skill === undefined ? active : [skill, ...active]);
  return [...parents].flatMap((parent) => registry.nestedIn(parent)).filter(mayBeChosen);
}

const cache = new WeakMap<Registry, Map<string, readonly Skill[]>>();
const maxLists = 64; // The maximum number of cached lists per registry. Each list can contain every skill.

/**
 * Returns the skills that a skill's own lists and `isLeft` allow. Caches the result under `others`, which
 * identifies the filter `isLeft`.
 */
function callableBy(
  registry: Registry,
  caller: Skill | undefined,
  others: readonly unknown[],
  isLeft: (skill: Skill) => boolean,
): readonly Skill[] {
  const lists = cache.get(registry) ?? new Map<string, readonly Skill[]>();
  cache.set(registry, lists);
  const { name, family, source, file } = caller ?? {};
  const key = JSON.stringify([name, family, source, file, ...others]);
  return getOrCreate(lists, key, maxLists, () => make(registry, caller).filter(isLeft));
}

function make(registry: Registry, caller: Skill | undefined): readonly Skill[] {
  const list = caller?.card.allowedSkills;
  if (list !== undefined) return skillsNamed(registry, list);
  return registry.skills.filter((skill) => mayBeChosen(skill) && skill.name !== caller?.name);
}

/** Returns the skills on an explicit list. Names of unknown skills are skipped. */
function skillsNamed({ lookup }: Registry, list: readonly string[]): readonly Skill[] {
  const found = list.map((name) => lookup.find(name));
  return [...new Set(found)].filter((skill) => skill !== undefined);
}

/** Whether a skill without a list of allowed skills may call this skill. */
function mayBeChosen(skill: Skill): boolean {
  const { modelInvocable, listed } = cardOf(skill);
  return skill.status === 'ready' && modelInvocable !== false && listed !== false;
}

/** Skills with `paths`, and those of them that are active because a frame used a matching file. */
interface ForFiles {
  readonly all: ReadonlySet<Skill>;
  readonly activated: ReadonlySet<Skill>;
}

/** Returns the skills with `paths`, and those that are active in a frame. */
function skillsForFilesIn(registry: Registry, frame: Frame, workspace: string): ForFiles {
  const all = skillsForFiles(registry);
  if (all.size === 0) return { all, activated: all };
  return { all, activated: new Set(frame.path.flatMap((one) => [...activatedIn(one, all, workspace)])) };
}

const forFilesByRegistry = new WeakMap<Registry, ReadonlySet<Skill>>();

function skillsForFiles(registry: Registry): ReadonlySet<Skill> {
  const skills =
    forFilesByRegistry.get(registry) ??
    new Set<Skill>(registry.skills.filter((skill) => cardOf(skill).paths !== undefined));
  forFilesByRegistry.set(registry, skills);
  return skills;
}

interface FileMatches {
  /** The number of files already checked. */
  files: number;
  readonly skills: Set<Skill>;
}

const fileMatches = new WeakMap<Frame, FileMatches>();

/** Returns the skills whose `paths` match a file that a frame used. Checks each file only once. */
function activatedIn(frame: Frame, forFiles: ReadonlySet<Skill>, workspace: string): ReadonlySet<Skill> {
  const before = fileMatches.get(frame) ?? { files: 0, skills: new Set<Skill>() };
  fileMatches.set(frame, before);
  if (before.files === frame.touched.size) return before.skills;
  const files = [...frame.touched].slice(before.files);
  for (const skill of forFiles) {
    if (before.skills.has(skill)) continue;
    if (appliesTo(cardOf(skill).paths ?? [], files, workspace)) before.skills.add(skill);
  }
  before.files = frame.touched.size;
  return before.skills;
}
