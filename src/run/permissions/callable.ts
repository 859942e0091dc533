import { keepLatest, meansWhole, optional, parseRule, type Skill } from '../../core/index.ts';
import { appliesTo, cardOf } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Frame } from '../calls/frame.ts';
import { isOpenRule, letsUse, meantAmong, ownList, toolLists } from './tool-lists.ts';

/** What a skill may call when a person calls it: some by name, and perhaps a group. */
export interface SkillReach {
  readonly named: readonly Skill[];
  /** Names on its list that lead to no skill. */
  readonly missing: readonly string[];
  readonly group?: SkillGroup;
}

/** Skills that are meant without being named. */
interface SkillGroup {
  /** The rules that mean them, as written; absent for every other skill. */
  readonly rules?: readonly string[];
  /** The rules that take some away, as written. */
  readonly except?: readonly string[];
  /** How many they are, without those that are named as well. */
  readonly count: number;
  has(skill: Skill): boolean;
}

/**
 * Tells of each skill what it may call, by the lists that `callableIn` reads; skills for certain files count as if one
 * had been touched. What a group comes to is worked out once for all skills with the same lists.
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

/** Of a skill without a list of skills: what its rules for tools name, and the rest of what they leave. */
function groupsIn(registry: Registry): (caller: Skill) => Pick<SkillReach, 'named' | 'group'> {
  const all = new Set<Skill>(registry.skills.filter(mayBeChosen));
  const byName = Map.groupBy(all, ({ name }) => name);
  const meant = meantAmong(registry, all);
  const sizes = new Map<string, number>();
  return (caller) => {
    const { allowed, disallowed = [] } = ownList(caller);
    const { rules, names = [] } = Object.groupBy(allowed ?? [], (rule) =>
      isOpenRule(rule) ? 'rules' : 'names',
    );
    const except = disallowed.filter(meansAll);
    const taken = meant(except, 'forbid');
    const isLeft = (skill: Skill): boolean => skill.name !== caller.name && !taken.has(skill);
    const direct = new Set([...meant(names, 'allow')].filter(isLeft));
    const named = [...direct];
    if (allowed !== undefined && rules === undefined) return { named };
    const base = rules === undefined ? all : meant(rules, 'allow');
    const key = JSON.stringify([rules ?? null, except]);
    const size = sizes.get(key) ?? base.size - [...taken].filter((skill) => base.has(skill)).length;
    sizes.set(key, size);
    const itself = (byName.get(caller.name) ?? []).filter((skill) => !taken.has(skill));
    const counted = [...named, ...itself].filter((skill) => base.has(skill)).length;
    return {
      named,
      group: {
        ...optional('rules', rules),
        ...optional('except', except.length === 0 ? undefined : except),
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

/** What decides about skills beside the lists of frames. */
interface Ways {
  readonly enforcesTools?: boolean;
  readonly workspace?: string | undefined;
}

interface Known {
  readonly registry: Registry;
  /** All that can change of it. */
  readonly state: string;
  readonly skills: readonly Skill[];
}

const callableByFrame = new WeakMap<Frame, Known>();

/**
 * What a frame may call, or with none a person: what its skill may, and every skill on the way down to it. The same
 * list for as long as nothing changes: there may be thousands, and loops ask at every step.
 */
export function callableIn(registry: Registry, frame: Frame | undefined, ways: Ways = {}): readonly Skill[] {
  if (frame === undefined) return callableBy(registry, undefined, [], () => true);
  const state = stateOf(frame, ways);
  const before = callableByFrame.get(frame);
  if (before?.registry === registry && before.state === state) return before.skills;
  const skills = callableNow(registry, frame, ways);
  callableByFrame.set(frame, { registry, state, skills });
  return skills;
}

/** What frames learn is only added to. */
function stateOf({ path, provided }: Frame, { enforcesTools = false }: Ways): string {
  const learned = path.map(({ loaded, touched }) => `${loaded.size}/${touched.size}`);
  return `${enforcesTools} ${provided.size} ${learned.join(' ')}`;
}

function callableNow(registry: Registry, frame: Frame, ways: Ways): readonly Skill[] {
  const { enforcesTools = false, workspace = '/' } = ways;
  const { skill: caller } = frame;
  const lists = toolLists(frame, enforcesTools);
  const { all, broughtUp } = skillsForFilesIn(registry, frame, workspace);
  const seesAll = caller === undefined || caller.card.allowedSkills !== undefined;
  const texts = lists.map(({ allowed, disallowed }) => [allowed ?? null, disallowed ?? null]);
  const names = [...broughtUp].map(({ file, name }) => [file, name]);
  const areFor = (skill: Skill): boolean => lists.every((list) => letsUse(registry, list, skill));
  const registered = callableBy(registry, caller, [texts, names], (skill) => {
    const isCalledFor = seesAll || !all.has(skill) || broughtUp.has(skill);
    return isCalledFor && areFor(skill);
  });
  if (frame.provided.size === 0) return registered;
  return [...[...frame.provided.values()].map(({ skill }) => skill).filter(areFor), ...registered];
}

const made = new WeakMap<Registry, Map<string, readonly Skill[]>>();
const mostKept = 64; // lists, each of which may name every skill there is

/** What a skill may call by its own lists, as far as others let it, which is told by `others`; made once for many frames. */
function callableBy(
  registry: Registry,
  caller: Skill | undefined,
  others: readonly unknown[],
  isLeft: (skill: Skill) => boolean,
): readonly Skill[] {
  const lists = made.get(registry) ?? new Map<string, readonly Skill[]>();
  made.set(registry, lists);
  const { name, family, source, file } = caller ?? {};
  const key = JSON.stringify([name, family, source, file, ...others]);
  return keepLatest(lists, key, mostKept, () => make(registry, caller).filter(isLeft));
}

function make(registry: Registry, caller: Skill | undefined): readonly Skill[] {
  const list = caller?.card.allowedSkills;
  if (list !== undefined) return skillsNamed(registry, list);
  return registry.skills.filter((skill) => mayBeChosen(skill) && skill.name !== caller?.name);
}

/** The skills of an explicit list, which is the whole list; what leads to none is left out. */
function skillsNamed({ lookup }: Registry, list: readonly string[]): readonly Skill[] {
  const found = list.map((name) => lookup.find(name));
  return [...new Set(found)].filter((skill) => skill !== undefined);
}

/** Whether a skill is among what may be called without a list. */
function mayBeChosen(skill: Skill): boolean {
  const { modelInvocable, listed } = cardOf(skill);
  return skill.status === 'ready' && modelInvocable !== false && listed !== false;
}

/** The skills for certain files, and those of them for which such a file was touched on the way down to a frame. */
interface ForFiles {
  readonly all: ReadonlySet<Skill>;
  readonly broughtUp: ReadonlySet<Skill>;
}

/** Which skills for certain files a frame may see. */
function skillsForFilesIn(registry: Registry, frame: Frame, workspace: string): ForFiles {
  const all = skillsForFiles(registry);
  if (all.size === 0) return { all, broughtUp: all };
  return { all, broughtUp: new Set(frame.path.flatMap((one) => [...broughtUpIn(one, all, workspace)])) };
}

const forFilesByRegistry = new WeakMap<Registry, ReadonlySet<Skill>>();

function skillsForFiles(registry: Registry): ReadonlySet<Skill> {
  const skills =
    forFilesByRegistry.get(registry) ??
    new Set<Skill>(registry.skills.filter((skill) => cardOf(skill).paths !== undefined));
  forFilesByRegistry.set(registry, skills);
  return skills;
}

interface Seen {
  /** How many of the files were looked at. */
  files: number;
  readonly skills: Set<Skill>;
}

const seen = new WeakMap<Frame, Seen>();

/** The skills for the files that a frame touched; each file is held against them once. */
function broughtUpIn(frame: Frame, forFiles: ReadonlySet<Skill>, workspace: string): ReadonlySet<Skill> {
  const before = seen.get(frame) ?? { files: 0, skills: new Set<Skill>() };
  seen.set(frame, before);
  if (before.files === frame.touched.size) return before.skills;
  const files = [...frame.touched].slice(before.files);
  for (const skill of forFiles) {
    if (before.skills.has(skill)) continue;
    if (appliesTo(cardOf(skill).paths ?? [], files, workspace)) before.skills.add(skill);
  }
  before.files = frame.touched.size;
  return before.skills;
}
