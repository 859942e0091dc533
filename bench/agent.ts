import { RecursiveSkilledAgent, type AgentOptions } from '../src/index.ts';

/** Creates an agent that has only the skills of one folder. */
export function agentOn(root: string, more: AgentOptions = {}): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ additionalSkillRoots: [root], only: true, ...more });
}

/** Discovers, parses and registers all skills below a folder. Returns their number. */
export function register(root: string, more: AgentOptions = {}): number {
  return agentOn(root, more).skills.list().length;
}

/**
 * Registers the skills and builds the catalog that a model receives. Returns the catalog's length in
 * characters.
 */
export async function showCatalog(root: string, more: AgentOptions = {}): Promise<number> {
  return (await agentOn(root, more).skills.catalog()).text.length;
}

/** Registers the skills and builds the ranking index. Returns the number of candidates for one prompt. */
export async function rankOnce(root: string): Promise<number> {
  const agent = agentOn(root, { embeddings: false });
  return (await agent.skills.rank('deploy the report')).candidates.length;
}
