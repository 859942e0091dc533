import { basicCommands } from '../basic-commands.ts';
import type { CommandIndex, SopCommand, SopCommands } from '../command.ts';

/** Finds commands by name, those of the host before the basic ones; the last of a list wins a name. */
export function indexCommands(commands: SopCommands): CommandIndex {
  const host = isIndex(commands) ? commands : indexOf(commands);
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
  return !Array.isArray(commands);
}
