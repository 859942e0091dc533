import { matchesWildcard } from '../../core/names.ts';
import { readToolEntry, type ToolEntry } from './tool-entry.ts';

/** What a list of tools allows, read once. Case counts, as servers tell tools apart by it. */
export interface AllowedTools {
  /** Undefined without a list: everything is allowed. */
  readonly entries: readonly ToolEntry[] | undefined;
  allows(server: string, tool: string): boolean;
  /** Whether anything of a server can be allowed; one of which nothing is need not be reached. */
  concerns(server: string): boolean;
  /** Whether an entry speaks of this very server. */
  names(server: string): boolean;
}

/** Reads a list of tools; an entry that cannot be read allows nothing. */
export function readAllowedTools(list: readonly string[] | undefined): AllowedTools {
  const entries = list?.map(readToolEntry).filter((entry) => entry !== undefined);
  const ofServer = (name: string): readonly ToolEntry[] =>
    entries?.filter(({ server }) => server === '*' || server === name) ?? [];
  return {
    entries,
    allows: (server, tool) =>
      entries === undefined || ofServer(server).some((entry) => matchesWildcard(entry.tool, tool)),
    concerns: (server) => entries === undefined || ofServer(server).length > 0,
    names: (server) => entries?.some((entry) => entry.server === server) === true,
  };
}
