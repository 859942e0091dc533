import {
  assistantName,
  evidenceFor,
  familyOf,
  trimEndOf,
  type CandidatesRanked,
  type RoutingCandidate,
  type Skill,
  type SkillSelected,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { accessIncludes, reachedAs } from '../permissions/tool-lists.ts';
import { breakTie, hasModel } from './break-tie.ts';
import {
  closeTo,
  rankedIn,
  scoredIn,
  surfaceOf,
  takesPrompt,
  takesPrompts,
  inputFromPrompt,
  isSmallTalk,
} from './candidates.ts';

type Chosen = Omit<SkillSelected, 'type'>;

/**
 * Selects the skill for a prompt without a skill name. Tries in order: an orchestrator that applies, a skill
 * that the prompt addresses by name, the only clear match, the last skill of the session if that skill
 * recognises the prompt, and an assistant for the prompt. If none of these fits, selects no skill. Without a
 * model, selects the best skill that applies.
 */
export async function route(execution: Execution, prompt: string): Promise<Chosen> {
  const { registry, kernel } = execution;
  const { orchestrators, others, tools } = surfaceOf(registry, kernel.routing.exposesInternals);
  const takers = (skills: readonly Skill[]): readonly Skill[] =>
    skills.filter(
      (skill) => takesPrompts(registry, skill) && accessIncludes(registry, execution.top.access, skill),
    );
  const orchestrator = await chooseOrchestrator(execution, prompt, takers(orchestrators));
  if (orchestrator !== undefined) return orchestrator;
  const ranked = await rank(execution, 'workers', takers(others), prompt);
  const able = scoredIn(ranked).filter(({ skill }) => mayTakePrompt(execution, skill));
  const [best] = able;
  const isClear = best !== undefined && isAloneIn(ranked, best);
  const isOpen = !isClear || knowsRequests(execution, best.skill);
  const meant = isOpen
    ? namedIn(
        execution,
        prompt,
        able.map(({ skill }) => skill),
      )
    : undefined;
  if (meant !== undefined) return given(execution, meant, ranked, 'The prompt addresses this skill by name.');
  if (isClear) return given(execution, best.skill, ranked, 'This skill is the only clear match.');
  const last = await continuedBy(execution, prompt);
  if (last !== undefined) return { ...given(execution, last), by: 'session' };
  const mayMake = registry.families.some(({ prompts }) => prompts?.assistant !== undefined);
  const hasWork = others.length + tools.length > 0 || execution.state.started?.assistant === 'open';
  if (mayMake && hasWork && (await hasModel(execution))) {
    return { skill: assistantName, by: 'ad-hoc', input: prompt };
  }
  if (best !== undefined && best.score >= ranked.threshold) {
    return given(execution, best.skill, ranked, 'It fits best; no model is available to choose.');
  }
  return { skill: '', by: 'nothing' };
}

async function chooseOrchestrator(
  execution: Execution,
  prompt: string,
  orchestrators: readonly Skill[],
): Promise<Chosen | undefined> {
  const ranked = await rank(execution, 'routers', orchestrators, prompt);
  const meantFor = orchestrators.find(({ card }) =>
    card.examples?.some((example) => isSame(example, prompt)),
  );
  if (meantFor !== undefined) {
    const skill = reachedAs(execution.registry, meantFor);
    return given(execution, skill, ranked, 'The prompt is one of the examples for this skill.');
  }
  const [best] = scoredIn(ranked);
  if (ranked.abstained || best === undefined) return undefined;
  const close = closeTo(scoredIn(ranked));
  if (close.length === 1)
    return given(execution, best.skill, ranked, 'This skill is clearly a better match than the others.');
  const { skill, reason } = await breakTie(execution, prompt, close);
  if (skill === undefined) return undefined;
  const meant = close.find((candidate) => candidate.skill === skill) ?? best;
  return {
    ...given(execution, meant.skill, ranked, reason),
    ...(reason === undefined ? { by: 'model' } : {}),
  };
}

const clearly = 0.7; // The minimum score for calling the only close match directly.

function isAloneIn(ranked: CandidatesRanked, best: RoutingCandidate): boolean {
  const isFirst = best === scoredIn(ranked)[0] && !ranked.abstained;
  return isFirst && best.score >= clearly && closeTo(scoredIn(ranked)).length === 1;
}

const maxScored = 50; // The maximum number of candidates that compete for the prompt.
const maxRecorded = 200; // The maximum number of candidates recorded in the log.

/**
 * Ranks the skills once and records the ranking. The recorded ranking remains valid even if skills change.
 */
async function rank(
  execution: Execution,
  among: CandidatesRanked['among'],
  skills: readonly Skill[],
  prompt: string,
): Promise<CandidatesRanked> {
  const { journal, kernel, registry, top } = execution;
  const before = rankedIn(execution, among);
  if (before !== undefined) return before;
  const { candidates, abstain, threshold, by } = await top.busy(() =>
    kernel.rank(isSmallTalk(prompt) ? '' : prompt, skills, maxScored),
  );
  // A larger limit can change the order, so its results are used only after the first `maxScored` candidates.
  const isFull = candidates.length === maxScored && skills.length > maxScored;
  const more = isFull ? (await top.busy(() => kernel.rank(prompt, skills, maxRecorded))).candidates : [];
  const first = new Set(candidates.map(({ name }) => name));
  const least = candidates.at(-1)?.score ?? 0;
  const later = more.filter(({ name }) => !first.has(name));
  const scored = [...candidates, ...later].map(({ name, score, why }, index): RoutingCandidate => ({
    skill: nameOf(execution, name),
    score: Math.round((index < maxScored ? score : Math.min(score, least)) * 1000) / 1000,
    words: execution.clean(why) as readonly string[],
  }));
  const known = new Set(scored.map(({ skill }) => skill));
  const others = skills.map((skill) => reachedAs(registry, skill)).filter((name) => !known.has(name));
  const unscored = others.sort().map((skill): RoutingCandidate => ({ skill, score: 0, words: [] }));
  const all = [...scored, ...unscored];
  const ranked: CandidatesRanked = {
    type: 'candidates.ranked',
    among,
    candidates: all.slice(0, maxRecorded),
    omitted: Math.max(0, all.length - maxRecorded),
    threshold: Math.round(threshold * 1000) / 1000,
    by,
    abstained: abstain,
  };
  await top.busy(() => journal.add('', ranked));
  return ranked;

  function nameOf({ registry: { lookup } }: Execution, name: string): string {
    const found = lookup.find(name);
    return found === undefined ? name : reachedAs(registry, found);
  }
}

function mayTakePrompt({ registry }: Execution, name: string): boolean {
  const skill = registry.lookup.find(name);
  return skill !== undefined && takesPrompt(registry, skill);
}

function given(
  { registry, state }: Execution,
  name: string,
  ranked?: CandidatesRanked,
  reason?: string,
): Chosen {
  const evidence = ranked === undefined ? undefined : evidenceFor(name, ranked.candidates);
  const skill = registry.lookup.find(name);
  const prompt = state.started?.prompt ?? '';
  return {
    skill: name,
    by: 'ranking',
    input: skill === undefined ? prompt : inputFromPrompt(registry, skill, prompt),
    ...(reason === undefined ? {} : { reason }),
    ...(evidence === undefined || evidence.score === 0 ? {} : { evidence }),
  };
}

/** Whether two requests are the same, ignoring case, whitespace and trailing punctuation. */
function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return trimEndOf(text.toLowerCase().replace(/\s+/g, ' '), /[\s.!?]/).trim();
}

/**
 * Returns the only skill whose family recognises its name in the prompt. Returns undefined if there is no
 * such skill or more than one.
 */
function namedIn(execution: Execution, prompt: string, names: readonly string[]): string | undefined {
  const { lookup } = execution.registry;
  const [only, ...others] = names.filter(
    (name) => recognise(execution, lookup.find(name), prompt) === 'named',
  );
  return others.length === 0 ? only : undefined;
}

/** Whether a skill's family can recognise prompts as requests for the skill. */
function knowsRequests({ registry }: Execution, name: string): boolean {
  const family = registry.lookup.find(name)?.family;
  return registry.families.some(({ id, prompts }) => id === family && prompts?.recognises !== undefined);
}

// The maximum number of runs to search. More than one is searched because some runs selected no skill.
const maxRuns = 10;

/**
 * Returns the skill that was last active in the session, if its family recognises that the prompt continues
 * the skill's work.
 */
async function continuedBy(execution: Execution, prompt: string): Promise<string | undefined> {
  const { store, registry, session, runId, top } = execution;
  const runs = await top.busy(() => store.runs({ session, limit: maxRuns }));
  const last = runs.find(({ id, skill }) => id !== runId && skill !== '');
  const skill = registry.lookup.find(last?.skill ?? '');
  return skill === undefined || recognise(execution, skill, prompt) === undefined
    ? undefined
    : reachedAs(registry, skill);
}

function recognise(
  { kernel, registry }: Execution,
  skill: Skill | undefined,
  prompt: string,
): 'named' | 'next' | undefined {
  const family = familyOf(registry.families, skill);
  if (skill === undefined || family?.prompts?.recognises === undefined) return undefined;
  try {
    return family.prompts.recognises(kernel.definitionOf(skill, family), prompt.trim());
  } catch {
    return undefined; // A skill whose file is unreadable cannot recognise prompts.
  }
}
