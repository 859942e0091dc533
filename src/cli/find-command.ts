import type { CommandEntry } from './command.ts';

/** The entry that a word names, by its name or another; undefined when there is none. */
export function findCommand(
  commands: readonly CommandEntry[],
  word: string | undefined,
): CommandEntry | undefined {
  return commands.find(({ name, aliases = [] }) => word !== undefined && [name, ...aliases].includes(word));
}
