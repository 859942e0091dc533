import {
  AgentError,
  assistantName,
  assistantNames,
  isDropping,
  isJsonObject,
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
import { accessIncludes, reachedAs } from '../permissions/tool-lists.ts';
import { modelFault } from './break-tie.ts';
import { rankedIn, scoredIn, surfaceOf, inputFromPrompt } from './candidates.ts';
import { route } from './route.ts';

/** The skill selected for a run, and its input. */
interface Selected {
  /** The skill's name, or an empty string if nothing fits. */
  readonly skill: string;
  readonly input: Json;
  /** Set only if the skill is not in a registry. */
  readonly target?: CallTarget | undefined;
}

/**
 * Selects the skill for a run: the skill that is named, or else the skill that fits the prompt. Records the
 * selection, which remains valid even if names later refer to other skills.
 */
export async function select(execution: Execution): Promise<Selected> {
  const { journal, state, top } = execution;
  const { prompt = '', input: recordedInput = null } = state.started ?? {};
  const before = journal.events.find((event) => event.type === 'skill.selected');
  const chosen = before?.type === 'skill.selected' ? before : await choose(execution);
  const { reason = reasons[chosen.by] } = chosen;
  if (before === undefined)
    await top.busy(() => journal.add('', { ...chosen, reason, type: 'skill.selected' }));
  const target =
    chosen.by === 'ad-hoc' || execution.state.started?.toAssistant === true
      ? createAssistant(execution, prompt, chosen.skill)
      : undefined;
  const input = inputMeant(execution, chosen) ?? (chosen.input === undefined ? recordedInput : chosen.input);
  return { skill: chosen.skill, input, target };
}

/** The default reason for each kind of choice. */
const reasons: Readonly<Record<SkillSelected['by'], string>> = {
  name: 'The request names this skill.',
  ranking: 'It fits best.',
  session: 'It was last active in this session, and the prompt is meant for it.',
  model: 'It fits best of several close candidates.',
  'ad-hoc': 'No single skill clearly matches.',
  nothing: 'None of the skills applies to the prompt.',
};

/**
 * Returns the original input of a named skill, including secrets that are not stored. Returns undefined if
 * nothing was redacted.
 */
function inputMeant(execution: Execution, { by, input }: Omit<SkillSelected, 'type'>): Json | undefined {
  const { given } = execution.kernel;
  if (given === undefined || input === undefined) return given?.input;
  const { name, rest } = readPrompt(given.prompt);
  return by !== 'name' || name === undefined ? undefined : nameIn(execution, name, rest).input;
}

function choose(execution: Execution): Promise<Omit<SkillSelected, 'type'>> | Omit<SkillSelected, 'type'> {
  const { skill: named = '', prompt = '', toAssistant } = execution.state.started ?? {};
  if (toAssistant === true) return { skill: assistantName, by: 'name' };
  if (named !== '') return nameIn(execution, named);
  const { name, rest } = readPrompt(prompt);
  if (isDropping(prompt) && execution.registry.lookup.find(name ?? '') === undefined) throw nothingWaits();
  return name === undefined ? route(execution, prompt) : nameIn(execution, name, rest);
}

function nothingWaits(): AgentError {
  return new AgentError('usage.bad-input', 'No question is waiting for an answer in this session.', {
    hint: 'Describe what you would like to do.',
  });
}

function nameIn({ registry }: Execution, named: string, rest?: string): Omit<SkillSelected, 'type'> {
  const found = registry.lookup.find(named);
  const skill = found === undefined ? named : reachedAs(registry, found);
  if (rest === undefined) return { skill, by: 'name' };
  if (found !== undefined) mustBeForPeople(found, named);
  const input = found === undefined ? rest : inputFromPrompt(registry, found, rest);
  return { skill, by: 'name', input: input === '' ? null : input };
}

/** Throws if users may not call this skill, or if the name is not exact (`hello-world` for `hello_world`). */
function mustBeForPeople({ name, aliases, card }: Skill, named: string): void {
  if (name !== named && !aliases.includes(named)) {
    throw new AgentError('skill.not-found', `There is no skill "${named}".`, {
      hint: `Did you mean "${name}"?`,
      details: { near: [name] },
    });
  }
  if (card.userInvocable !== false) return;
  throw notForPeople(name, 'Describe what you want in your own words.');
}

function bestOf(execution: Execution): readonly string[] {
  const ranked = rankedIn(execution, 'workers');
  return ranked === undefined ? [] : scoredIn(ranked).map(({ skill }) => skill);
}

/**
 * Creates an assistant for a prompt. The assistant can use all other top-level skills and tools, ordered by
 * how well they match. Returns undefined if no family creates assistants.
 */
function createAssistant(execution: Execution, goal: string, name: string): CallTarget | undefined {
  const { registry, kernel } = execution;
  const family = registry.families.find(({ prompts }) => prompts?.assistant !== undefined);
  if (family?.prompts?.assistant === undefined) return undefined;
  const { exposesInternals } = kernel.routing;
  const { others } = surfaceOf(registry, exposesInternals);
  // If internal skills are hidden, the assistant is offered only some of the tools; see `offeredInternals`.
  const all = [...others, ...surfaceOf(registry, true).tools];
  const fitting = bestOf(execution)
    .map((one) => registry.lookup.find(one))
    .filter((skill) => skill !== undefined);
  const skills = [...new Set<Skill>([...fitting, ...all])];
  return {
    skill: {
      name,
      aliases: assistantNames.filter((other) => other !== name),
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
      codeDefinition: {}, // The assistant does not come from a file.
    },
    family,
    definition: family.prompts.assistant({
      goal,
      skills,
      session: kernel.routing.session,
      mode: execution.state.started?.assistant ?? 'skills-only',
    }),
    digest: undefined,
    isLeaf: false,
  };
}

const maxNearest = 3;

/**
 * Returns the output for a prompt that fits no skill. The output suggests the nearest skills, or names the
 * skill that requires more input than a prompt.
 */
export async function nothingFits(execution: Execution, prompt: string): Promise<Output> {
  const typed = fittingOne(execution);
  if (typed !== undefined) {
    return failedOutput({
      code: 'skill.not-found',
      message: `"${typed}" fits this request, but it cannot be called with text alone.`,
      hint: `Run \`skilled show ${typed}\` to see its input. A model could fill it in: run \`skilled models\` to set one up.`,
      details: { nearest: [typed] },
    });
  }
  const nearest = await nearestTo(execution, prompt);
  const named = nearest.map((name) => `"${name}"`).join(', ');
  const next =
    nearest[0] === undefined
      ? 'Add a skill with `skilled new <family> <name>`.'
      : `Name one: /${nearest[0]} <request>.`;
  const fault = await modelFault(execution);
  const details = isJsonObject(fault?.details) ? fault.details : {};
  const isMissing = details['configured'] === false || details['offline'] === true;
  // A model that is configured but does not work is the likely reason.
  const why = fault === undefined || isMissing ? '' : ` ${fault.message}`;
  const more = why === '' ? 'A model can handle more requests: `skilled models`' : (fault?.hint ?? '');
  const error: ErrorData = {
    code: 'skill.not-found',
    message: `No skill fits this request${nearest.length === 0 ? '' : `; nearest: ${named}`}.${why}`,
    hint: fault === undefined ? next : (why === '' ? `${next} ${more}` : `${more} ${next}`).trim(),
    details: { nearest },
  };
  return failedOutput(error);
}

/** Returns the best candidate if it fits but requires input other than a prompt. */
function fittingOne(execution: Execution): string | undefined {
  const ranked = rankedIn(execution, 'workers');
  return ranked?.abstained === false ? scoredIn(ranked)[0]?.skill : undefined;
}

/** Finds the skills nearest to a prompt, including those that only other skills may call. */
async function nearestTo({ kernel, registry, top }: Execution, prompt: string): Promise<readonly string[]> {
  const among = callableIn(registry, undefined).filter(
    (skill) => !isInternal(skill) && accessIncludes(registry, top.access, skill),
  );
  const { candidates } = await top.busy(() => kernel.rank(prompt, among, maxNearest));
  return candidates.map(({ name }) => name);
}
