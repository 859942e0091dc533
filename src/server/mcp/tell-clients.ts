import type { McpServer } from '@modelcontextprotocol/server';
import type { ServedSkills } from './serve-skills.ts';

/** Tells clients that stay connected when there are other tools, until the returned function is called; of other skills they are told by the catalog. */
export function tellClients(served: ServedSkills, clients: () => Iterable<McpServer>): () => void {
  return served.onChange((what) => {
    if (what === 'skills') return;
    for (const mcp of clients())
      if (mcp.isConnected()) mcp.server.sendToolListChanged().catch(() => undefined); // it went away just now
  });
}
