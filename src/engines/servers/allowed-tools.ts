import { matchesWildcard } from '../../core/index.ts';

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

/** What an entry of a list of tools means: `*` stands for any characters, in the name of a tool and for every server. */
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
 * Reads an entry: `server.tool`, `server.*`, `mcp__server__tool`, `mcp:server`, or a bare `tool` of whichever server.
 * Undefined for what is none. A dot always ends the name of a server, so nobody can name a tool after another server.
 */
export function readToolEntry(text: string): ToolEntry | undefined {
  for (const form of forms) {
    const { groups } = form.exec(text.trim()) ?? {};
    if (groups !== undefined) return { server: groups['server'] ?? '*', tool: groups['tool'] ?? '*' };
  }
  return undefined;
}

/** The word by which permission rules name tools of servers: of one tool, or of all that an entry means. */
export function toolLabel({ server, tool }: ToolEntry): string {
  return `mcp__${server}__${tool}`;
}

/** Whether a tool can be named by a rule, and so be allowed or forbidden. */
export function isToolName(name: string): boolean {
  return /^[\w.-]{1,128}$/.test(name);
}
