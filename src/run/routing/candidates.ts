import {
  familyOf,
  isJsonObject,
  parseJson,
  propertyOf,
  readPrompt,
  takesObject,
  wordArgument,
  type CandidatesRanked,
  type Family,
  type Json,
  type RunRequest,
  type Skill,
} from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { callableIn } from '../permissions/callable.ts';

/** The skills that a prompt which names none may lead to. */
interface Surface {
  /** Those that hand a prompt on to other skills. */
  readonly routers: readonly Skill[];
  /** Those that do the work. */
  readonly workers: readonly Skill[];
  /** The package's own, which take no prompt as a whole; none where they are not to be offered. */
  readonly tools: readonly Skill[];
}

const made = new WeakMap<Registry, Map<boolean, Surface>>();

/** The top of a registry: what models may choose, without what a router has for itself; the same one for as long as the registry is. */
export function surfaceOf(registry: Registry, withInternals: boolean): Surface {
  const known = made.get(registry) ?? new Map<boolean, Surface>();
  made.set(registry, known);
  const before = known.get(withInternals);
  if (before !== undefined) return before;
  const surface = make(registry, withInternals);
  known.set(withInternals, surface);
  return surface;
}

function make(registry: Registry, withInternals: boolean): Surface {
  const owned = ownersOf(registry);
  const shown = callableIn(registry, undefined).filter(
    (skill) => !owned.has(skill) && (withInternals || skill.source !== 'bundled'),
  );
  const {
    routers = [],
    workers = [],
    tools = [],
  } = Object.groupBy(shown, (skill) =>
    isInternal(skill) ? 'tools' : isRouter(registry, skill) ? 'routers' : 'workers',
  );
  return { routers, workers, tools };
}

/** Whether a skill hands prompts on to others: its family makes such skills. */
function isRouter({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.prompts?.assistant !== undefined;
}

/**
 * The skills that explicit lists of routers name, and by whom: they are reached through those. What comes with the
 * package belongs to nobody, and two routers that lead to each other do not hide each other.
 */
export function ownersOf(registry: Registry): ReadonlyMap<Skill, readonly Skill[]> {
  const routers = registry.skills.filter((skill) => skill.status === 'ready' && isRouter(registry, skill));
  const named = new Map(routers.map((router) => [router, namedBy(registry, router)]));
  const owned = new Map<Skill, Skill[]>();
  for (const [router, skills] of named) {
    for (const skill of skills) {
      if (skill === router || skill.source === 'bundled' || leadsTo(skill, router, named)) continue;
      owned.set(skill, [...(owned.get(skill) ?? []), router]);
    }
  }
  return owned;
}

function namedBy({ lookup }: Registry, { card }: Skill): ReadonlySet<Skill> {
  const found = (card.allowedSkills ?? []).map((name) => lookup.find(name));
  return new Set(found.filter((skill) => skill !== undefined));
}

function leadsTo(from: Skill, to: Skill, named: ReadonlyMap<Skill, ReadonlySet<Skill>>): boolean {
  const seen = new Set([from]);
  for (const skill of seen) {
    for (const next of named.get(skill) ?? []) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}

/** How the log says that skills were ranked for the prompt of a run; undefined before they are. */
export function rankedIn(
  { journal }: Execution,
  among: CandidatesRanked['among'],
): CandidatesRanked | undefined {
  const isMeant = (event: CandidatesRanked): boolean => event.among === among;
  return journal.events.find((event) => event.type === 'candidates.ranked' && isMeant(event)) as
    CandidatesRanked | undefined;
}

/** Whether a prompt as a whole can be the input of a skill: it says nothing of its input, or says where words go. */
export function takesWords({ families }: Registry, { card, family }: Skill): boolean {
  if (takesObject(card.input) !== true) return true;
  return propertyOf(card.input, defaultArgumentOf(families, family)) !== undefined;
}

/** What a skill is given when it is asked in words: where it takes named parts, the object that they are in JSON, else the words under the default argument of its family. No words are an empty object there, and null elsewhere. */
export function wordsFor({ families }: Registry, { card, family }: Skill, words: string): Json {
  const { text, input } = families.find(({ id }) => id === family) ?? {};
  const { defaultArgument } = input ?? {};
  if (text?.render !== undefined || input?.readsWords === true) return words; // its family reads words itself
  const isNamed = takesObject(card.input) ?? defaultArgument !== undefined;
  if (words === '') return takesObject(card.input) === true ? {} : null;
  const object = isNamed && words.startsWith('{') ? parseJson(words) : undefined;
  if (isJsonObject(object)) return object;
  const key = isNamed ? wordArgument(card.input, defaultArgument) : undefined;
  return key === undefined ? words : { [key]: words };
}

/** What a request gives to the skill that it names: its input, with the prompt in it, but for the name of the skill, where the skill takes that and nothing stands there. */
export function inputFor(registry: Registry, { skill, prompt = '', input }: RunRequest): Json {
  const found = skill === undefined ? undefined : registry.lookup.find(skill);
  if (found === undefined) return input ?? (prompt === '' ? null : prompt);
  if (input !== undefined) {
    const { name = '', words } = readPrompt(prompt);
    return withWords(registry, found, input, registry.lookup.find(name) === found ? words : prompt);
  }
  return prompt === '' ? null : wordsFor(registry, found, prompt);
}

function withWords({ families }: Registry, { card, family }: Skill, given: Json, words: string): Json {
  if (!isJsonObject(given) || words === '') return given;
  const key = defaultArgumentOf(families, family);
  if (Object.hasOwn(given, key)) return given;
  const takesIt = card.input === undefined || propertyOf(card.input, key) !== undefined;
  return takesIt ? { ...given, [key]: words } : given;
}

function defaultArgumentOf(families: readonly Family[], id: string): string {
  return families.find((family) => family.id === id)?.input?.defaultArgument ?? 'input';
}
