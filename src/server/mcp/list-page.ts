import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { ServedTool } from './served-tools.ts';

const pageSize = 200;

/**
 * One page of the tools, which are in the order of their names. A cursor is the last name of the page before, so that a
 * tool that comes or goes meanwhile leaves no other out. Pure.
 */
export function listPage(tools: readonly ServedTool[], cursor: string | undefined): ListToolsResult {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const left = after === undefined ? tools : tools.filter(({ name }) => name > after);
  const page = left.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tools: page.map(({ name, description, input, output }) => ({
      ...{ name, description, inputSchema: input as Schema },
      ...(output === undefined ? {} : { outputSchema: output as Schema }),
    })),
    ...(last === undefined || left.length === page.length
      ? {}
      : { nextCursor: Buffer.from(last.name).toString('base64url') }),
  };
}

type Schema = ListToolsResult['tools'][number]['inputSchema'];
