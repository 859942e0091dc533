import {
  AgentError,
  adHocName,
  isDropping,
  notForPeople,
  readPrompt,
  type ErrorData,
  type Json,
  type Output,
  type Skill,
  type SkillSelected,
} from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import type { CallTarget } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { failedOutput } from '../log/sanitize.ts';
import { callableIn } from '../permissions/callable.ts';
import { reachedAs } from '../permissions/tool-lists.ts';
import { hasModel } from './break-tie.ts';
import { rankedIn, surfaceOf, wordsFor } from './candidates.ts';
import { route } from './route.ts';

/** Who answers a run, and what it is given. */
interface Selected {
  /** Empty when nothing fits. */
  readonly skill: string;
  readonly input: Json;
  /** Of a skill that no registry knows. */
  readonly target?: CallTarget | undefined;
}

/** Which skill answers a run: the one that was named, else the one that the prompt leads to. The choice is a fact of the log, and stays when names change their meaning. */
export async function select(execution: Execution): Promise<Selected> {
  const { journal, state, top } = execution;
  const { prompt = '', input: kept = null } = state.started ?? {};
  const before = journal.events.find((event) => event.type === 'skill.selected');
  const chosen = before?.type === 'skill.selected' ? before : await choose(execution);
  if (before === undefined) await top.busy(() => journal.add('', { ...chosen, type: 'skill.selected' }));
  const target = chosen.by === 'ad-hoc' ? makeAdHoc(execution, prompt, bestOf(execution)) : undefined;
  const input = inputMeant(execution, chosen) ?? (chosen.input === undefined ? kept : chosen.input);
  return { skill: chosen.skill, input, target };
}

/** The input of a skill that was named, with the secrets that are not kept; undefined where nothing was left out. */
function inputMeant(execution: Execution, { by, input }: Omit<SkillSelected, 'type'>): Json | undefined {
  const { given } = execution.kernel;
  if (given === undefined || input === undefined) return given?.input;
  const { name, words } = readPrompt(given.prompt);
  return by !== 'name' || name === undefined ? undefined : nameIn(execution, name, words).input;
}

function choose(execution: Execution): Promise<Omit<SkillSelected, 'type'>> | Omit<SkillSelected, 'type'> {
  const { skill: named = '', prompt = '' } = execution.state.started ?? {};
  if (named !== '') return nameIn(execution, named);
  const { name, words } = readPrompt(prompt);
  if (isDropping(prompt) && execution.registry.lookup.find(name ?? '') === undefined) throw nothingWaits();
  return name === undefined ? route(execution, prompt) : nameIn(execution, name, words);
}

function nothingWaits(): AgentError {
  return new AgentError('usage.bad-input', 'Nothing waits for an answer in this session.', {
    hint: 'Say what is to be done.',
  });
}

function nameIn({ registry }: Execution, named: string, words?: string): Omit<SkillSelected, 'type'> {
  const found = registry.lookup.find(named);
  const skill = found === undefined ? named : reachedAs(registry, found);
  if (words === undefined) return { skill, by: 'name' };
  if (found !== undefined) mustBeForPeople(found, named);
  const input = found === undefined ? words : wordsFor(registry, found, words);
  return { skill, by: 'name', input: input === '' ? null : input };
}

/** In a prompt only people name skills, and exactly: `hello-world` is not `hello_world`. */
function mustBeForPeople({ name, aliases, card }: Skill, named: string): void {
  if (name !== named && !aliases.includes(named)) {
    throw new AgentError('skill.not-found', `There is no skill "${named}".`, {
      hint: `Did you mean "${name}"?`,
      details: { near: [name] },
    });
  }
  if (card.userInvocable !== false) return;
  throw notForPeople(name, 'Say what you want in words.');
}

function bestOf(execution: Execution): readonly string[] {
  return (rankedIn(execution, 'workers')?.candidates ?? []).map(({ skill }) => skill);
}

/** A skill for one prompt over all that may do the work, those that fit best first; undefined when no family makes such skills. */
function makeAdHoc(execution: Execution, goal: string, best: readonly string[]): CallTarget | undefined {
  const { registry, kernel } = execution;
  const family = registry.families.find(({ prompts }) => prompts?.assistant !== undefined);
  if (family?.prompts?.assistant === undefined) return undefined;
  const { workers, tools } = surfaceOf(registry, kernel.routing.exposesInternals);
  const all = [...workers, ...tools];
  const fitting = best.map((name) => registry.lookup.find(name)).filter((skill) => skill !== undefined);
  const skills = [...new Set<Skill>([...fitting, ...all])];
  return {
    skill: {
      name: adHocName,
      aliases: [],
      family: family.id,
      card: {
        description: 'Answers one prompt with the skills that fit it.',
        allowedSkills: all.map((skill) => reachedAs(registry, skill)),
      },
      source: 'bundled',
      root: '',
      dir: '',
      file: '',
      status: 'ready',
      issues: [],
      made: {}, // nothing of it comes from a file
    },
    family,
    definition: family.prompts.assistant({ goal, skills, session: kernel.routing.session }),
    digest: undefined,
    isLeaf: false,
  };
}

const mostNearest = 3;

/** The honest answer to a prompt that no skill takes: the nearest of all that can be named, or what the one that fits needs. */
export async function nothingFits(execution: Execution, prompt: string): Promise<Output> {
  const typed = fittingOne(execution);
  if (typed !== undefined) {
    return failedOutput({
      code: 'skill.not-found',
      message: `"${typed}" fits this request, but it cannot be called with words alone.`,
      hint: `\`skilled show ${typed}\` shows what it takes. A model could fill that in: \`skilled models\` shows how to set one up.`,
      details: { nearest: [typed] },
    });
  }
  const nearest = await nearestTo(execution, prompt);
  const named = nearest.map((name) => `"${name}"`).join(', ');
  const next =
    nearest[0] === undefined
      ? 'Add one with `skilled new <family> <name>`.'
      : `Name one: /${nearest[0]} <words>.`;
  const error: ErrorData = {
    code: 'skill.not-found',
    message:
      nearest.length === 0 ? 'No skill fits this request.' : `No skill fits this request; nearest: ${named}.`,
    hint: (await hasModel(execution)) ? next : `${next} With a model more can be done: \`skilled models\``,
    details: { nearest },
  };
  return failedOutput(error);
}

/** The best one, where it applies: it was not called because it takes named parts. */
function fittingOne(execution: Execution): string | undefined {
  const ranked = rankedIn(execution, 'workers');
  return ranked?.abstained === false ? ranked.candidates[0]?.skill : undefined;
}

/** Also those that only others call in answer to a prompt. */
async function nearestTo({ kernel, registry, top }: Execution, prompt: string): Promise<readonly string[]> {
  const among = callableIn(registry, undefined).filter((skill) => !isInternal(skill));
  const { candidates } = await top.busy(() => kernel.rank(prompt, among, mostNearest));
  return candidates.map(({ name }) => name);
}
