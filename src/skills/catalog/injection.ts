import { withinElement, withoutHidden } from '../../core/index.ts';
import { escapeXml, listingOf, partOf, shownName, textOf } from './listing.ts';

/** A skill that is added to a prompt because the user named it. */
export interface InjectedSkill {
  readonly name: string;
  readonly description?: string | undefined;
  readonly whenToUse?: string | undefined;
  /** The absolute path of the skill's descriptor. */
  readonly location: string;
  /** The rendered text of the skill, without frontmatter. Not used by `buildLightSkillInjection`. */
  readonly body: string;
}

const lightInstruction = `You have these skills. As soon as one fits the task, load its file with the \`read\` tool.

`;

/** Builds prompt text that contains the full texts of skills, in the given order. Pure. */
export function buildSkillInjection(skills: readonly Pick<InjectedSkill, 'name' | 'body'>[]): string {
  return skills
    .map(({ name, body }) => `<skill name="${escapeXml(shownName(name))}">\n${textWithin(body)}</skill>`)
    .join('\n\n');
}

/**
 * Builds prompt text that contains the names, descriptions and locations of skills, in the given order. The
 * model can read their files if necessary. Pure.
 */
export function buildLightSkillInjection(skills: readonly Omit<InjectedSkill, 'body'>[]): string {
  if (skills.length === 0) return '';
  const elements = skills.map(({ name, description = '', whenToUse, location }) =>
    textOf(partOf({ name, description, whenToUse, location })),
  );
  return lightInstruction + listingOf(elements);
}

/**
 * Removes blank lines around a text and hidden characters in it. Escapes anything that could close the
 * surrounding element or open another one.
 */
function textWithin(body: string): string {
  const text = withoutHidden(body)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
  return text === '' ? '' : `${withinElement(text, 'skill')}\n`;
}
