import type { AgentOptions } from '../agent/options.ts';
import { RecursiveSkilledAgent as BareAgent } from '../agent/recursive-skilled-agent.ts';
import { builtinFamilies } from '../families/index.ts';
import { loadSkillFrom, parseSkillText, type LoadedSkill, type LoadOptions } from '../skills/load-skill.ts';
import { defaultPorts } from './defaults.ts';

/** The agent with the built-in families and skills already chosen. */
export class RecursiveSkilledAgent extends BareAgent {
  constructor(options: AgentOptions = {}) {
    super(options, defaultPorts());
  }
}

/** One skill from a folder (strict) or a Markdown file (lenient), ready for `skills.register`. */
export function loadSkill(path: string, options: LoadOptions = {}): Promise<LoadedSkill> {
  return Promise.resolve().then(() => loadSkillFrom(path, options, options.families ?? builtinFamilies));
}

/** One skill from text in memory, ready for `skills.register`. */
export function parseSkill(text: string, options: LoadOptions = {}): LoadedSkill {
  return parseSkillText(text, options, options.families ?? builtinFamilies);
}
