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

const maxNamed = 10;

/** Creates the issue for an unknown command, with a suggestion if there is one. */
export function unknownCommand(step: PlanStep, commands: KnownCommands): SopIssue {
  const { command, commandPosition } = step;
  const hint = meantOtherwise(step) ?? commands.suggest(command);
  const message = `Unknown command "${command}".`;
  if (hint !== undefined) return errorAt(commandPosition, 'sop.unknown-command', message, hint);
  const issue = errorAt(commandPosition, 'sop.unknown-command', message, whatThereIs(commands));
  return { ...issue, details: { known: commands.names().slice(0, maxNamed) } };
}

/** Returns a hint if a step looks like an assignment or a loop in another language. */
function meantOtherwise({ name, command }: PlanStep): string | undefined {
  if (command === 'each')
    return `"each" takes a reference to a list, for example "@${name} each $list command".`;
  if (/^:?=$/.test(command)) return `Remove the "${command}", for example "@${name} command".`;
  const [, before, behind] = /^([^=]+)=(.+)$/.exec(name) ?? [];
  if (before === undefined || behind === undefined) return undefined;
  return `The name of this step is "${name}". Use a space instead of "=", for example "@${before} ${behind}".`;
}

function whatThereIs(commands: KnownCommands): string {
  const names = commands.names();
  const shown = names.slice(0, maxNamed).join(', ');
  return `Available ${names.length === 1 ? 'is' : 'are'} ${shown}${names.length > maxNamed ? ' and others' : ''}.`;
}

/** A command and the form of its arguments. */
export interface KnownCommand {
  readonly command: SopCommand;
  readonly intake: Intake;
  /** Returns the parameter whose name is closest to a misspelled name, if any. */
  suggestParameter(name: string): string | undefined;
}

/** The commands available to one check. */
export interface KnownCommands {
  find(name: string): KnownCommand | undefined;
  suggest(name: string): string | undefined;
  names(): readonly string[];
}

/** Creates a lookup for commands. The lookup resolves each name only once. */
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
  const names = intake.kind === 'parameters' ? [...intake.parameters.keys()] : [];
  return { command, intake, suggestParameter: createSuggestions(() => names) };
}

/**
 * Creates an index of commands by name. The host's commands override basic commands. If a list contains
 * several commands with the same name, the last one is used. Throws `usage.bad-input` for invalid commands.
 */
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
  // JavaScript callers can pass a value of any type.
  const given = commands as Partial<CommandIndex> | null | undefined;
  if (typeof given?.find === 'function' && typeof given.names === 'function') return true;
  throw new AgentError('usage.bad-input', 'The commands are neither a list nor an index.', {
    hint: 'Pass a list of { name, run } (it can be empty) or an object { find, names }.',
  });
}

function mustBeCommand(command: SopCommand, index: number): SopCommand {
  const given = command as Partial<SopCommand> | null | undefined;
  const name = given?.name;
  if (typeof name === 'string' && /^\S+$/.test(name) && typeof given?.run === 'function') return command;
  const which = typeof name === 'string' ? JSON.stringify(name) : `at index ${index}`;
  throw new AgentError('usage.bad-input', `The command ${which} is invalid.`, {
    hint: 'Give each command a "name" without whitespace and a "run" function.',
  });
}

// The maximum number of pairs of characters to compare for one script. The limit keeps checks fast if a
// script has many unknown words.
const maxComparisons = 10_000_000;

/**
 * Creates a function that returns the name closest to a word, if any. Caches its results. Stops searching
 * after the maximum number of comparisons.
 */
export function createSuggestions(names: () => Iterable<string>): (typed: string) => string | undefined {
  const cache = new Map<string, string | undefined>();
  let candidates: readonly string[] | undefined;
  let characters = 0;
  let left = maxComparisons;
  return (typed) => {
    if (cache.has(typed)) return cache.get(typed);
    if (candidates === undefined) {
      candidates = [...names()];
      characters = candidates.reduce((sum, name) => sum + name.length, 0);
    }
    left -= typed.length * characters;
    const hint = left < 0 ? undefined : didYouMean(typed, candidates);
    cache.set(typed, hint);
    return hint;
  };
}
