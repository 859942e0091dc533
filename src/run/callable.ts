import { keepLatest } from '../core/keep-latest.ts';
import type { Skill } from '../core/skill.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import { skillsForFilesIn } from './brought-up.ts';
import type { Frame } from './frame.ts';
import { letsUse } from './lets-use.ts';
import { toolLists } from './tool-lists.ts';

/** What decides about skills beside the lists of frames. */
export interface Ways {
  readonly enforcesTools?: boolean;
  readonly workspace?: string | undefined;
}

interface Known {
  readonly registry: Registry;
  /** All that can change of it. */
  readonly state: string;
  readonly skills: readonly Skill[];
}

const known = new WeakMap<Frame, Known>();

/**
 * What a frame may call, or with none a person: what its skill may, and every skill on the way down to it. The same
 * list for as long as nothing changes: there may be thousands, and loops ask at every step.
 */
export function callableIn(registry: Registry, frame: Frame | undefined, ways: Ways = {}): readonly Skill[] {
  if (frame === undefined) return callableBy(registry, undefined, [], () => true);
  const state = stateOf(frame, ways);
  const before = known.get(frame);
  if (before?.registry === registry && before.state === state) return before.skills;
  const skills = callableNow(registry, frame, ways);
  known.set(frame, { registry, state, skills });
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
export function skillsNamed({ lookup }: Registry, list: readonly string[]): readonly Skill[] {
  const found = list.map((name) => lookup.find(name));
  return [...new Set(found)].filter((skill) => skill !== undefined);
}

/** Whether a skill is among what may be called without a list. */
export function mayBeChosen(skill: Skill): boolean {
  const { modelInvocable, listed } = cardOf(skill);
  return skill.status === 'ready' && modelInvocable !== false && listed !== false;
}
