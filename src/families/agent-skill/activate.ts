import type { Json } from '../../core/json.ts';
import type { Rendering } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { joinPieces } from './render/render-body.ts';
import { bodyFor, placeIn, trimmed } from './render-skill.ts';
import { runCommands } from './run-commands.ts';

/** The text of a skill with its input put in and its commands run, after a last look where there are some; throws what keeps any of it from being whole. */
export async function activate(
  definition: AgentSkillDefinition,
  input: Json,
  scope: Scope,
  beforeCommands: () => Promise<void> = async () => undefined,
): Promise<Rendering> {
  const body = bodyFor(definition, input, placeIn(scope, definition));
  if (body.hidden) scope.note('The arguments hold characters that cannot be seen; they stay in the text.');
  if (body.pieces.some((piece) => typeof piece !== 'string')) await beforeCommands();
  const commands = await runCommands(body, definition, scope);
  const text = trimmed(joinPieces(body.pieces, (_command, index) => commands[index]?.output ?? ''));
  return { text, commands, replacements: body.replacements };
}
