import { join } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import { readServerEntry } from '../core/servers/read-server.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';
import { parseJsonWithComments } from './json-with-comments.ts';
import { lineOf } from './line-of.ts';
import { isTrustedProject, projectState, userTrustBook } from './project-trust.ts';
import type { SettingsPlaces } from './settings-files.ts';

/** The servers in the `.mcp.json` of the project, which count only while that is trusted: they start programs and name the user's variables. */
export function readMcpFile(
  places: SettingsPlaces,
  report: (issue: Issue) => void,
): readonly { readonly server: ServerDescription; readonly file: string }[] {
  const { project, file, text, entries, isTrusted } = lookAtMcpFile(places, report);
  if (entries.length === 0) return [];
  if (!isTrusted()) {
    report(untrusted(entries.length, file));
    return [];
  }
  return entries.flatMap(([name, entry]) => {
    if (isJsonObject(entry) && entry['disabled'] === true) return [];
    const read = readServerEntry(name, entry, 'mcp-json');
    if (typeof read !== 'string')
      return [{ server: read.kind === 'stdio' ? { ...read, near: [project] } : read, file }];
    const message = `The server "${name}" ${read}, so it is left out.`;
    report(fault('server.invalid', message, file, lineOf(text, `mcpServers.${name}`)));
    return [];
  });
}

/** The names in the `.mcp.json` of the project that do not count because nobody trusted it. */
export function uncountedServers(places: SettingsPlaces): readonly string[] {
  const { entries, isTrusted } = lookAtMcpFile(places, () => undefined);
  return entries.length === 0 || isTrusted() ? [] : entries.map(([name]) => name);
}

interface McpFile {
  readonly project: string;
  readonly file: string;
  readonly text: string;
  readonly entries: readonly [string, Json][];
  readonly isTrusted: () => boolean;
}

function lookAtMcpFile(places: SettingsPlaces, report: (issue: Issue) => void): McpFile {
  const state = projectState(places);
  const { project = '', files } = state ?? {};
  const file = join(project, '.mcp.json');
  const text = files?.get(file)?.toString('utf8') ?? '';
  const isTrusted = (): boolean => state !== undefined && isTrustedProject(state, userTrustBook(places));
  return { project, file, text, entries: entriesOf(text, file, report), isTrusted };
}

function entriesOf(text: string, file: string, report: (issue: Issue) => void): readonly [string, Json][] {
  if (text.trim() === '') return [];
  const read = parseJsonWithComments(text);
  if (!read.ok) {
    report(
      fault(
        'settings.invalid',
        `The servers are not valid JSON: ${read.message}. None is used.`,
        file,
        read.line,
      ),
    );
    return [];
  }
  const servers = isJsonObject(read.value) ? (read.value['mcpServers'] ?? {}) : undefined;
  if (!isJsonObject(servers) || isElsewhere(read.value)) {
    const message = 'The servers must stand by name in an object "mcpServers". None is used.';
    report(fault('settings.invalid', message, file, 1));
    return [];
  }
  return Object.entries(servers);
}

/** Whether servers stand where other programs look for them: at the top, or in "servers". */
function isElsewhere(value: Json): boolean {
  if (!isJsonObject(value) || value['mcpServers'] !== undefined) return false;
  const looksLikeServer = (entry: Json): boolean =>
    isJsonObject(entry) && (entry['command'] !== undefined || entry['url'] !== undefined);
  const inside = value['servers'] ?? null;
  return [value, inside].some((part) => isJsonObject(part) && Object.values(part).some(looksLikeServer));
}

function fault(code: Issue['code'], message: string, file: string, line: number | undefined): Issue {
  return { level: 'error', code, message, file, ...optional('line', line), hint: 'Correct the file.' };
}

function untrusted(count: number, file: string): Issue {
  const which = count === 1 ? 'A server is' : `${count} servers are`;
  return {
    level: 'info',
    code: 'settings.untrusted',
    message: `${which} not used: a project could start programs of its own.`,
    file,
    hint: 'Look at the file, and trust the project as it is: `skilled trust grant .`',
  };
}
