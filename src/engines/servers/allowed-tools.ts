import { matchesWildcard } from '../../core/index.ts';

/** A parsed list of allowed tools. The names of tools are case-sensitive. */
export interface AllowedTools {
  /** The list's entries. Undefined if there is no list, in which case everything is allowed. */
  readonly entries: readonly ToolEntry[] | undefined;
  allows(server: string, tool: string): boolean;
  /** Whether the list may allow tools of this server. If not, the server is not contacted. */
  concerns(server: string): boolean;
  /** Whether an entry names this server exactly, without a wildcard. */
  names(server: string): boolean;
}

/** Parses a list of allowed tools. An entry that cannot be parsed allows nothing. */
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

/**
 * A parsed entry of a tool list. In the name of a tool, `*` matches any characters. As the name of a server,
 * it matches every server.
 */
interface ToolEntry {
  readonly server: string;
  readonly tool: string;
}

const server = String.raw`[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_))*`;
const tool = String.raw`[\w.*-]+`;
const forms = [
  new RegExp(`^mcp(?::|__)(?<server>${server}|\\*)(?:__|/)(?<tool>${tool})$`, 'i'),
  new RegExp(`^mcp(?::|__)(?<server>${server}|\\*)$`, 'i'),
  new RegExp(`^(?<server>${server})\\.(?<tool>${tool})$`),
  /^(?<tool>[\w*-]+)$/,
];

/**
 * Parses an entry: `server.tool`, `server.*`, `mcp__server__tool`, `mcp:server`, or just `tool`, which
 * matches any server. Returns undefined if the entry is invalid. The server name ends at the first dot, so
 * the name of a tool cannot imitate another server.
 */
export function readToolEntry(text: string): ToolEntry | undefined {
  for (const form of forms) {
    const { groups } = form.exec(text.trim()) ?? {};
    if (groups !== undefined) return { server: groups['server'] ?? '*', tool: groups['tool'] ?? '*' };
  }
  return undefined;
}

/** Returns the name that permission rules use for a server's tool, or for all tools that an entry matches. */
export function toolLabel({ server, tool }: ToolEntry): string {
  return `mcp__${server}__${tool}`;
}

/** Whether a tool's name can be used in permission rules. Tools with any other name are skipped. */
export function isToolName(name: string): boolean {
  return /^[\w.-]{1,128}$/.test(name);
}
