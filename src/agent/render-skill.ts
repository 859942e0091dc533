import { AgentError, defaultSession, familyOf, type Json, type Rendering } from '../core/index.ts';
import { accept } from '../run/calls/resolve.ts';
import { folderOf } from '../run/permissions/skill-files.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { workspaceOf } from './options.ts';
import { currentPolicy, mustBeTrusted } from './policy.ts';
import type { AgentContext } from './setup.ts';

/** Options for rendering a skill. */
export interface RenderOptions {
  readonly args?: Json;
  /** The session whose data the text may include. Default: the default session. */
  readonly session?: string;
}

/**
 * Renders a skill's text with its arguments, without running any commands in it. Throws `usage.bad-input` if
 * the skill has no text, and `policy.denied` for a server's skill that is not trusted.
 */
export function renderSkill(
  context: AgentContext,
  name: string,
  { args = null, session = defaultSession }: RenderOptions,
): Rendering {
  const { options, setUp, skills } = context;
  const { lookup, families } = skills.snapshot();
  const skill = lookup.resolve(name);
  mustBeTrusted(currentPolicy(context), skills, skill);
  const family = familyOf(families, skill);
  if (family?.text?.render === undefined) {
    const label = family?.label ?? skill.family;
    throw new AgentError('usage.bad-input', `"${skill.name}" (${label}) has no text to render.`, {
      hint: 'Run this skill, or render another one.',
    });
  }
  const definition = definitionOf(skill, family, setUp.limits, setUp.settings.skills);
  const input = accept({ skill, family, definition }, args);
  const renderContext = { session, skillDir: folderOf(skill), projectDir: workspaceOf(options) };
  return family.text.render(definition, input, renderContext);
}
