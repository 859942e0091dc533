import {
  adHocName,
  familyOf,
  type CandidatesRanked,
  type RoutingCandidate,
  type Skill,
  type SkillSelected,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { reachedAs } from '../permissions/tool-lists.ts';
import { breakTie, hasModel } from './break-tie.ts';
import { rankedIn, surfaceOf, takesWords, wordsFor } from './candidates.ts';

type Chosen = Omit<SkillSelected, 'type'>;

/**
 * Which skill answers a prompt that names none: one that hands prompts on, if one applies; else the only one that
 * clearly fits, else the one that worked last, if the words are for it, else one that is made for the prompt; else
 * none. Without a model, the best one that applies.
 */
export async function route(execution: Execution, prompt: string): Promise<Chosen> {
  const { registry, kernel } = execution;
  const { routers, workers, tools } = surfaceOf(registry, kernel.routing.exposesInternals);
  const router = await chooseRouter(execution, prompt, routers);
  if (router !== undefined) return router;
  const ranked = await rank(execution, 'workers', workers, prompt);
  const able = ranked.candidates.filter(({ skill }) => mayTakePrompt(execution, skill));
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
  if (meant !== undefined)
    return given(execution, { skill: meant }, 'It is a request to this one by its name.');
  if (isClear) return given(execution, best, 'Only this one clearly fits.');
  const last = await continuedBy(execution, prompt);
  if (last !== undefined) return { ...given(execution, { skill: last }), by: 'session' };
  const mayMake = registry.families.some(({ prompts }) => prompts?.assistant !== undefined);
  if (mayMake && workers.length + tools.length > 0 && (await hasModel(execution))) {
    return { skill: adHocName, by: 'ad-hoc', input: prompt };
  }
  if (best !== undefined && best.score >= ranked.threshold) {
    return given(execution, best, 'It fits best, and there is no model to choose with.');
  }
  return { skill: '', by: 'nothing' };
}

async function chooseRouter(
  execution: Execution,
  prompt: string,
  routers: readonly Skill[],
): Promise<Chosen | undefined> {
  const ranked = await rank(execution, 'routers', routers, prompt);
  const meantFor = routers.find(({ card }) => card.examples?.some((example) => isSame(example, prompt)));
  if (meantFor !== undefined) {
    const skill = reachedAs(execution.registry, meantFor);
    return given(execution, { skill }, 'It names this request as its own.');
  }
  const [best] = ranked.candidates;
  if (ranked.abstained || best === undefined) return undefined;
  const close = closeTo(best, ranked);
  if (close.length === 1) return given(execution, best, 'It fits clearly better than the others.');
  const { skill, reason } = await breakTie(execution, prompt, close);
  if (skill === undefined) return undefined;
  const meant = close.find((candidate) => candidate.skill === skill) ?? best;
  return { ...given(execution, meant, reason), ...(reason === undefined ? { by: 'model' } : {}) };
}

const clearly = 0.7; // the score from which a skill is called without anybody looking at what else there is

function isAloneIn(ranked: CandidatesRanked, best: RoutingCandidate): boolean {
  const isFirst = best === ranked.candidates[0] && !ranked.abstained;
  return isFirst && best.score >= clearly && closeTo(best, ranked).length === 1;
}

const mostNamed = 10; // candidates that are kept in the log
const mostClose = 5; // candidates that a model is shown

/** Those between which the ranking alone does not decide: at least half as sure as the best. */
function closeTo(best: RoutingCandidate, { candidates }: CandidatesRanked): readonly RoutingCandidate[] {
  return candidates.filter(({ score }) => score >= best.score / 2).slice(0, mostClose);
}

/** Ranks once: what the log says of it stays, whatever became of the skills meanwhile. */
async function rank(
  execution: Execution,
  among: CandidatesRanked['among'],
  skills: readonly Skill[],
  prompt: string,
): Promise<CandidatesRanked> {
  const { journal, kernel, registry, top } = execution;
  const before = rankedIn(execution, among);
  if (before !== undefined) return before;
  const { candidates, abstain, threshold, by } = await top.busy(() => kernel.rank(prompt, skills, mostNamed));
  const ranked: CandidatesRanked = {
    type: 'candidates.ranked',
    among,
    candidates: candidates.map(({ name, score, why }) => ({
      skill: nameOf(execution, name),
      score: Math.round(score * 1000) / 1000,
      words: execution.clean(why) as readonly string[],
    })),
    omitted: skills.length - candidates.length,
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
  return skill !== undefined && takesWords(registry, skill);
}

function given(
  { registry, state }: Execution,
  { skill: name }: Pick<RoutingCandidate, 'skill'>,
  reason?: string,
): Chosen {
  const skill = registry.lookup.find(name);
  const prompt = state.started?.prompt ?? '';
  return {
    skill: name,
    by: 'ranking',
    input: skill === undefined ? prompt : wordsFor(registry, skill, prompt),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Whether two requests are the same but for case, white space and marks at the end. */
function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[\s.!?]+$/, '')
    .trim();
}

/** The only one of some skills whose family says that words name it in a request to it. */
function namedIn(execution: Execution, words: string, names: readonly string[]): string | undefined {
  const { lookup } = execution.registry;
  const [only, ...others] = names.filter(
    (name) => recognise(execution, lookup.find(name), words) === 'named',
  );
  return others.length === 0 ? only : undefined;
}

/** Whether the family of a skill knows requests to it by itself. */
function knowsRequests({ registry }: Execution, name: string): boolean {
  const family = registry.lookup.find(name)?.family;
  return registry.families.some(({ id, prompts }) => id === family && prompts?.recognises !== undefined);
}

const mostRuns = 10; // that are looked at, as some of them found no skill

/** The skill that worked last in the session of a run, where its family says that words are for it. */
async function continuedBy(execution: Execution, words: string): Promise<string | undefined> {
  const { kernel, registry, session, runId, top } = execution;
  const runs = await top.busy(() => kernel.store.runs({ session, limit: mostRuns }));
  const last = runs.find(({ id, skill }) => id !== runId && skill !== '');
  const skill = registry.lookup.find(last?.skill ?? '');
  return skill === undefined || recognise(execution, skill, words) === undefined
    ? undefined
    : reachedAs(registry, skill);
}

function recognise(
  { kernel, registry }: Execution,
  skill: Skill | undefined,
  words: string,
): 'named' | 'next' | undefined {
  const family = familyOf(registry.families, skill);
  if (skill === undefined || family?.prompts?.recognises === undefined) return undefined;
  try {
    return family.prompts.recognises(kernel.definitionOf(skill, family), words.trim());
  } catch {
    return undefined; // its file cannot be read any more, so that nothing is for it
  }
}
