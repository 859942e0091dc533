import type { Json } from '../../core/json.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { HookMoment, LoadedText } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import { withinElement } from '../../core/text.ts';
import { aboutFiles } from './about-files.ts';
import { activate } from './activate.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { outputOf } from './output-of.ts';

/** Gives the text of a skill to the conversation that calls, as an element that nothing in it can end. */
export function load(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const rendering = await activate(definition, input, scope);
    const { name, dir, card } = scope.skill;
    const parts = [
      rendering.text === '' ? card.description : rendering.text,
      await aboutFiles(definition, scope),
    ];
    const folder = definition.hasFolder && dir !== '' ? ` dir="${attribute(dir)}"` : '';
    const inner = parts
      .filter((part) => part !== '')
      .map((part) => withinElement(part, 'skill'))
      .join('\n\n');
    const loaded: LoadedText = { ...rendering, ...optional('hooks', momentsOf(definition)) };
    return {
      status: 'done',
      text: `<skill name="${attribute(name)}"${folder}>\n${inner}\n</skill>`,
      value: loaded as unknown as Json,
    };
  });
}

/** The moments that the skill has hooks for; undefined for one without. */
function momentsOf({ hooks = [] }: AgentSkillDefinition): readonly HookMoment[] | undefined {
  return hooks.length === 0 ? undefined : [...new Set(hooks.map(({ moment }) => moment))];
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
