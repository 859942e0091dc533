import { RecursiveSkilledAgent, type AgentOptions } from '../src/index.ts';

/** An agent over one folder and nothing else. */
export function agentOn(root: string, more: AgentOptions = {}): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ additionalSkillRoots: [root], only: true, ...more });
}

/** Discovers, parses and registers everything below a folder; returns how many skills there are. */
export function register(root: string, more: AgentOptions = {}): number {
  return agentOn(root, more).skills.list().length;
}

/** The same, and what a model is shown of it; returns its length. */
export async function showCatalog(root: string, more: AgentOptions = {}): Promise<number> {
  return (await agentOn(root, more).skills.catalog()).text.length;
}

/** The same, and the index of the ranking; returns how many candidates a prompt has. */
export async function rankOnce(root: string): Promise<number> {
  const agent = agentOn(root, { embeddings: false });
  return (await agent.skills.rank('deploy the report')).candidates.length;
}
