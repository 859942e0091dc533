import { RecursiveSkilledAgent, type AgentOptions } from '../src/index.ts';

/** An agent over one folder and nothing else. */
export function agentOn(root: string, more: AgentOptions = {}): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({ additionalSkillRoots: [root], only: true, ...more });
}

/** Discovers, parses and registers everything below a folder; returns how many skills there are. */
export function register(root: string, more: AgentOptions = {}): number {
  return agentOn(root, more).skills.list().length;
}
