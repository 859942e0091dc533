import type { McpToken } from '../../../config/program.ts';
import { count } from '../../../doctor/report.ts';
import type { ServedSkills } from '../../../server/mcp/serve-skills.ts';

/** What is said on stderr when a server begins: what it serves, where, and to whom. */
export function startLines(
  { serving }: ServedSkills,
  where?: { readonly url: string; readonly token: McpToken },
): readonly string[] {
  const { tools, catalog } = serving;
  const what = `${count(tools.list().length, 'tool')}, ${count(catalog.entries.length, 'loadable skill')}`;
  if (where === undefined) return [`serving over stdio: ${what}`];
  const { url, token } = where;
  return [
    `serving at ${url}: ${what}`,
    ...(token.isNew ? [`token for this time: ${token.text} (SKILLED_MCP_TOKEN chooses another)`] : []),
  ];
}
