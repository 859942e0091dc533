import { AgentError, defaultSession, familyOf, type Json, type Rendering } from '../core/index.ts';
import { accept } from '../run/calls/resolve.ts';
import { folderOf } from '../run/permissions/skill-files.ts';
import { definitionOf } from '../skills/registry/definition.ts';
import { workspaceOf } from './options.ts';
import { currentPolicy, mustBeTrusted } from './policy.ts';
import type { Lender } from './setup.ts';

/** With what a skill is rendered. */
export interface RenderOptions {
  readonly args?: Json;
  /** Whose session its text may name. Default: the default session. */
  readonly session?: string;
}

/** What a skill comes to with its arguments, without running any of it; throws `usage.bad-input` where it has no text, and `policy.denied` for one of a server that nobody trusts. */
export function renderSkill(
  lender: Lender,
  name: string,
  { args = null, session = defaultSession }: RenderOptions,
): Rendering {
  const { options, setUp, skills } = lender;
  const { lookup, families } = skills.snapshot();
  const skill = lookup.resolve(name);
  mustBeTrusted(currentPolicy(lender), skills, skill);
  const family = familyOf(families, skill);
  if (family?.text?.render === undefined) {
    const label = family?.label ?? skill.family;
    throw new AgentError('usage.bad-input', `"${skill.name}" (${label}) has no text to render.`, {
      hint: 'Run it, or render another skill.',
    });
  }
  const definition = definitionOf(skill, family, setUp.limits, setUp.settings.skills);
  const input = accept({ skill, family, definition }, args);
  const place = { session, skillDir: folderOf(skill), projectDir: workspaceOf(options) };
  return family.text.render(definition, input, place);
}
