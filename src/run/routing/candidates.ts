import {
  familyOf,
  isJsonObject,
  parseJson,
  propertyOf,
  readPrompt,
  takesObject,
  textArgument,
  type CandidatesRanked,
  type RoutingCandidate,
  type Family,
  type Json,
  type RunRequest,
  type Skill,
  type SkillCard,
} from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import { isTemplateDescription } from '../../skills/registry/template-description.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { callableIn } from '../permissions/callable.ts';

/** The skills that can be selected for a prompt without a skill name. */
interface Surface {
  /** Skills that pass prompts on to other skills. */
  readonly orchestrators: readonly Skill[];
  /** Skills that handle prompts themselves. */
  readonly others: readonly Skill[];
  /** The package's own tools, which do not take a prompt directly. Empty if the settings hide the tools. */
  readonly tools: readonly Skill[];
}

const surfaces = new WeakMap<Registry, Map<boolean, Surface>>();

/**
 * Returns the top-level skills of a registry: models may choose them, and no orchestrator owns them. Cached
 * for each registry.
 */
export function surfaceOf(registry: Registry, withInternals: boolean): Surface {
  const known = surfaces.get(registry) ?? new Map<boolean, Surface>();
  surfaces.set(registry, known);
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
    orchestrators = [],
    others = [],
    tools = [],
  } = Object.groupBy(shown, (skill) =>
    isInternal(skill) ? 'tools' : isOrchestrator(registry, skill) ? 'orchestrators' : 'others',
  );
  return { orchestrators, others, tools };
}

/** Whether a skill passes prompts on to other skills, like the assistants that its family creates. */
function isOrchestrator({ families }: Registry, skill: Skill): boolean {
  return familyOf(families, skill)?.prompts?.assistant !== undefined;
}

/**
 * Maps each skill on an orchestrator's list to the orchestrators that own it. A prompt can reach such a skill
 * only through one of its owners. Bundled skills have no owner. Two orchestrators that list each other do not
 * own each other.
 */
export function ownersOf(registry: Registry): ReadonlyMap<Skill, readonly Skill[]> {
  const orchestrators = registry.skills.filter(
    (skill) => skill.status === 'ready' && isOrchestrator(registry, skill),
  );
  const named = new Map(orchestrators.map((orchestrator) => [orchestrator, namedBy(registry, orchestrator)]));
  const owned = new Map<Skill, Skill[]>();
  for (const [orchestrator, skills] of named) {
    for (const skill of skills) {
      if (skill === orchestrator || skill.source === 'bundled' || leadsTo(skill, orchestrator, named))
        continue;
      owned.set(skill, [...(owned.get(skill) ?? []), orchestrator]);
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

/**
 * Whether a skill can be selected for a prompt that does not name it. This excludes skills that come with the
 * package, and skills whose description is still the text of a template.
 */
export function takesPrompts({ families }: Registry, skill: Skill): boolean {
  if (skill.source === 'bundled') return false;
  const before = described.get(skill.card);
  if (before !== undefined) return before;
  // Only the skill's own family is asked, so that a prompt loads no family that the project does not use.
  const own = familyOf(families, skill);
  const isDescribed = !isTemplateDescription(skill.card.description, own === undefined ? [] : [own]);
  described.set(skill.card, isDescribed);
  return isDescribed;
}

// Whether skills have a description of their own, by card. Checking each skill again for each prompt is slow.
const described = new WeakMap<SkillCard, boolean>();

const talk =
  /^(?:\W|\b(?:hello|hi|hey|hiya|there|good|morning|afternoon|evening|night|day|bye|goodbye|thanks?|thank|you|so|very|much|a|lot|ok|okay|great|cool|nice|well|done|how|are|is|it|going|everyone|all|again|that|was|today)\b)*$/i;
const greeting =
  /\b(?:hello|hi|hey|hiya|bye|goodbye|thanks|thank you|good (?:morning|afternoon|evening|night|day)|ok(?:ay)?|how are you|well done)\b/i;

/** Whether a prompt is only a greeting, a farewell or thanks, which no skill needs to answer. */
export function isSmallTalk(prompt: string): boolean {
  return prompt.length <= longestTalk && greeting.test(prompt) && talk.test(prompt);
}

const longestTalk = 60;

/** Returns the ranking recorded for a run's prompt, or undefined if none has been recorded. */
export function rankedIn(
  { journal }: Execution,
  among: CandidatesRanked['among'],
): CandidatesRanked | undefined {
  const isMeant = (event: CandidatesRanked): boolean => event.among === among;
  return journal.events.find((event) => event.type === 'candidates.ranked' && isMeant(event)) as
    CandidatesRanked | undefined;
}

const maxConsidered = 10;

/** Returns the top candidates that have a score, best first. */
export function scoredIn({ candidates }: CandidatesRanked): readonly RoutingCandidate[] {
  return candidates.filter(({ score }) => score > 0).slice(0, maxConsidered);
}

const maxClose = 5;
const farBelow = 10;

/**
 * Returns the candidates among which a model should choose: the best five, or only the first if its score is more
 * than ten times that of every other. `candidates` must be sorted, best first. Pure.
 */
export function closeTo<Item extends Pick<RoutingCandidate, 'score'>>(
  candidates: readonly Item[],
): readonly Item[] {
  const [best, second] = candidates;
  const isAlone = best === undefined || second === undefined || second.score * farBelow < best.score;
  return candidates.slice(0, isAlone ? 1 : maxClose);
}

/**
 * Whether a prompt can be the input of a skill. This is true if the input need not be an object, or has a
 * property for the prompt.
 */
export function takesPrompt({ families }: Registry, { card, family }: Skill): boolean {
  if (takesObject(card.input) !== true) return true;
  return propertyOf(card.input, defaultArgumentOf(families, family)) !== undefined;
}

/**
 * Converts a prompt to a skill's input. If the skill takes named properties, the prompt can be a JSON object.
 * Otherwise, the prompt becomes the family's default argument. An empty prompt becomes an empty object for a
 * skill with named properties, and null for any other skill.
 */
export function inputFromPrompt({ families }: Registry, { card, family }: Skill, prompt: string): Json {
  const { text, input } = families.find(({ id }) => id === family) ?? {};
  const { defaultArgument } = input ?? {};
  // The family parses the prompt itself.
  if (text?.render !== undefined || input?.acceptsText === true) return prompt;
  const isNamed = takesObject(card.input) ?? defaultArgument !== undefined;
  if (prompt === '') return takesObject(card.input) === true ? {} : null;
  const object = isNamed && prompt.startsWith('{') ? parseJson(prompt) : undefined;
  if (isJsonObject(object)) return object;
  const key = isNamed ? textArgument(card.input, defaultArgument) : undefined;
  return key === undefined ? prompt : { [key]: prompt };
}

/**
 * Returns the input for the skill that a request names. If the input lacks the property for the prompt, sets
 * it to the prompt without the skill name.
 */
export function inputFor(registry: Registry, { skill, prompt = '', input }: RunRequest): Json {
  const found = skill === undefined ? undefined : registry.lookup.find(skill);
  if (found === undefined) return input ?? (prompt === '' ? null : prompt);
  if (input !== undefined) {
    const { name = '', rest } = readPrompt(prompt);
    return withPrompt(registry, found, input, registry.lookup.find(name) === found ? rest : prompt);
  }
  return prompt === '' ? null : inputFromPrompt(registry, found, prompt);
}

function withPrompt({ families }: Registry, { card, family }: Skill, given: Json, prompt: string): Json {
  if (!isJsonObject(given) || prompt === '') return given;
  const key = defaultArgumentOf(families, family);
  if (Object.hasOwn(given, key)) return given;
  const takesIt = card.input === undefined || propertyOf(card.input, key) !== undefined;
  return takesIt ? { ...given, [key]: prompt } : given;
}

function defaultArgumentOf(families: readonly Family[], id: string): string {
  return families.find((family) => family.id === id)?.input?.defaultArgument ?? 'input';
}
