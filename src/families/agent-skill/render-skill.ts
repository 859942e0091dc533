import type { Json } from '../../core/json.ts';
import type { Rendering, RenderPlace } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { joinPieces, renderBody, type RenderedBody } from './render/render-body.ts';

/** What a skill comes to with an input, its commands not run; pure. Throws `usage.bad-input`. */
export function renderSkill(definition: AgentSkillDefinition, input: Json, place: RenderPlace): Rendering {
  const { pieces, replacements } = bodyFor(definition, input, place);
  const commands = pieces.filter((piece) => typeof piece !== 'string');
  return {
    text: trimmed(joinPieces(pieces, ({ command }) => `[not run: ${command}]`)),
    commands: commands.map(({ command }) => ({ command, ran: false })),
    replacements,
  };
}

/** The body of a skill with an input put in, taken apart at its commands; pure. Throws `usage.bad-input`. */
export function bodyFor(
  { body, bodyLine, argumentNames = [], allowDash = false }: AgentSkillDefinition,
  args: Json,
  place: RenderPlace,
): RenderedBody {
  return renderBody(body(), { args, argumentNames, place, allowDash, firstLine: bodyLine });
}

/** What the variables in the text of a skill stand for while it is used. */
export function placeIn(
  { skill, session, workspace }: Scope,
  { hasFolder }: AgentSkillDefinition,
): RenderPlace {
  return { session, skillDir: hasFolder ? skill.dir : undefined, projectDir: workspace };
}

/** Without blank lines around it. */
export function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}
