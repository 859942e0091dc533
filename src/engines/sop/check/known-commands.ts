import { AgentError, didYouMean } from '../../../core/index.ts';
import {
  basicCommands,
  errorAt,
  type CommandIndex,
  type PlanStep,
  type SopCommand,
  type SopCommands,
  type SopIssue,
} from '../index.ts';
import { readIntake, type Intake } from './intake.ts';

const mostNamed = 10;

/** That there is no such command, with what was probably meant. */
export function unknownCommand(step: PlanStep, commands: KnownCommands): SopIssue {
  const { command, commandPlace } = step;
  const hint = meantOtherwise(step) ?? commands.suggest(command);
  const message = `There is no command "${command}".`;
  if (hint !== undefined) return errorAt(commandPlace, 'sop.unknown-command', message, hint);
  const issue = errorAt(commandPlace, 'sop.unknown-command', message, whatThereIs(commands));
  return { ...issue, details: { known: commands.names().slice(0, mostNamed) } };
}

/** Ways of other languages to bind and to repeat. */
function meantOtherwise({ name, command }: PlanStep): string | undefined {
  if (command === 'each') return `"each" takes a reference to a list, as in "@${name} each $list command".`;
  if (/^:?=$/.test(command)) return `Leave the "${command}" out, as in "@${name} command".`;
  const [, before, behind] = /^([^=]+)=(.+)$/.exec(name) ?? [];
  if (before === undefined || behind === undefined) return undefined;
  return `The name of this step is "${name}". Write a blank for the "=", as in "@${before} ${behind}".`;
}

function whatThereIs(commands: KnownCommands): string {
  const names = commands.names();
  const shown = names.slice(0, mostNamed).join(', ');
  return `There ${names.length === 1 ? 'is' : 'are'} ${shown}${names.length > mostNamed ? ' and others' : ''}.`;
}

/** A command and how it takes its arguments. */
export interface KnownCommand {
  readonly command: SopCommand;
  readonly intake: Intake;
  /** Offers the nearest name of an argument. */
  suggestPlace(name: string): string | undefined;
}

/** The commands of one check. */
export interface KnownCommands {
  find(name: string): KnownCommand | undefined;
  suggest(name: string): string | undefined;
  names(): readonly string[];
}

/** Looks each command up once per check. */
export function createKnownCommands(commands: SopCommands): KnownCommands {
  const index = indexCommands(commands);
  const known = new Map<string, KnownCommand | undefined>();
  let names: readonly string[] | undefined;
  return {
    find(name) {
      if (!known.has(name)) {
        const command = index.find(name);
        known.set(name, command === undefined ? undefined : knownFrom(command));
      }
      return known.get(name);
    },
    suggest: createSuggestions(() => index.names()),
    names: () => (names ??= [...index.names()]),
  };
}

function knownFrom(command: SopCommand): KnownCommand {
  const intake = readIntake(command);
  const names = intake.kind === 'places' ? [...intake.places.keys()] : [];
  return { command, intake, suggestPlace: createSuggestions(() => names) };
}

/** Finds commands by name, those of the host before the basic ones; the last of a list wins a name. Throws `usage.bad-input` for what are no commands. */
export function indexCommands(commands: SopCommands): CommandIndex {
  const host = isIndex(commands) ? commands : indexOf(commands.map(mustBeCommand));
  return {
    find: (name) => host.find(name) ?? basic.find(name),
    names: () => new Set([...host.names(), ...basic.names()]),
  };
}

const basic = indexOf(basicCommands);

function indexOf(commands: readonly SopCommand[]): CommandIndex {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return { find: (name) => byName.get(name), names: () => byName.keys() };
}

function isIndex(commands: SopCommands): commands is CommandIndex {
  if (Array.isArray(commands)) return false;
  const given = commands as Partial<CommandIndex> | null | undefined; // callers without types give anything
  if (typeof given?.find === 'function' && typeof given.names === 'function') return true;
  throw new AgentError('usage.bad-input', 'The commands are neither a list nor an index of them.', {
    hint: 'Give a list of { name, run }, or { find, names }; an empty list if there are none.',
  });
}

function mustBeCommand(command: SopCommand, index: number): SopCommand {
  const given = command as Partial<SopCommand> | null | undefined;
  const name = given?.name;
  if (typeof name === 'string' && /^\S+$/.test(name) && typeof given?.run === 'function') return command;
  const which = typeof name === 'string' ? JSON.stringify(name) : `at ${index}`;
  throw new AgentError('usage.bad-input', `The command ${which} is no command.`, {
    hint: 'A command has a "name" without white space and a function "run".',
  });
}

// Pairs of characters that are compared in one script, so that a script of unknown words stays cheap to check.
const mostComparisons = 10_000_000;

/** Offers the nearest of some names for a word, or nothing; each word once, and only while that stays cheap. */
export function createSuggestions(names: () => Iterable<string>): (word: string) => string | undefined {
  const made = new Map<string, string | undefined>();
  let candidates: readonly string[] | undefined;
  let characters = 0;
  let left = mostComparisons;
  return (word) => {
    if (made.has(word)) return made.get(word);
    if (candidates === undefined) {
      candidates = [...names()];
      characters = candidates.reduce((sum, name) => sum + name.length, 0);
    }
    left -= word.length * characters;
    const hint = left < 0 ? undefined : didYouMean(word, candidates);
    made.set(word, hint);
    return hint;
  };
}
