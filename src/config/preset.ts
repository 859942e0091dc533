import type { AgentOptions } from '../agent/options.ts';
import { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { builtinFamilies } from '../families/index.ts';
import { loadSkillFrom, parseSkillText, type LoadedSkill, type LoadOptions } from '../skills/load-skill.ts';
import { defaultPorts } from './defaults.ts';

/** An agent with the built-in families and skills. */
export class RecursiveSkilledAgent extends BareAgent {
  constructor(options: AgentOptions = {}) {
    super(options, defaultPorts());
  }
}

/**
 * Loads one skill, ready for `skills.register`. Validates a skill folder strictly and a single
 * Markdown file leniently.
 */
export function loadSkill<Given>(
  path: string,
  options: LoadOptions<Given> = {},
): Promise<LoadedSkill<Given>> {
  return Promise.resolve().then(() => {
    const loaded = loadSkillFrom(path, options, options.families ?? builtinFamilies);
    return loaded as LoadedSkill<Given>;
  });
}

/** Parses one skill from text in memory, ready for `skills.register`. */
export function parseSkill<Given>(text: string, options: LoadOptions<Given> = {}): LoadedSkill<Given> {
  return parseSkillText(text, options, options.families ?? builtinFamilies) as LoadedSkill<Given>;
}
