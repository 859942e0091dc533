import { AgentError } from '../core/error.ts';
import type { SkillSelected } from '../core/routing-event.ts';
import type { Json } from '../core/json.ts';
import { notForPeople } from '../core/not-for-people.ts';
import type { Skill } from '../core/skill.ts';
import { makeAdHoc } from './ad-hoc.ts';
import type { Execution } from './execution.ts';
import { reachedAs } from './known-as.ts';
import { rankedIn } from './ranked-in.ts';
import { isDropping, readPrompt } from '../core/read-prompt.ts';
import type { Target } from './target.ts';
import { route } from './route.ts';
import { wordsFor } from './words-for.ts';

/** Who answers a run, and what it is given. */
export interface Selected {
  /** Empty when nothing fits. */
  readonly skill: string;
  readonly input: Json;
  /** Of a skill that no registry knows. */
  readonly target?: Target | undefined;
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
