import { AgentError } from '../../../core/error.ts';
import { basicCommands } from '../basic-commands.ts';
import type { CommandIndex, SopCommand, SopCommands } from '../command.ts';

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
