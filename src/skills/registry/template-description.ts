import { bundleOfText, nowhere, type Family } from '../../core/index.ts';

const known = new WeakMap<Family, ReadonlySet<string>>();

/**
 * Whether a description has not been changed since the skill was created from a template, or is a placeholder.
 * It says nothing about the skill.
 */
export function isTemplateDescription(description: string, families: readonly Family[]): boolean {
  if (isPlaceholder(description)) return true;
  const text = plain(description);
  return families.some((family) => templatesOf(family).has(text));
}

/** Returns the descriptions in a family's templates. Cached, because reading them loads the family's code. */
function templatesOf(family: Family): ReadonlySet<string> {
  const before = known.get(family);
  if (before !== undefined) return before;
  const templates = new Set(descriptionsIn(family).map(plain));
  known.set(family, templates);
  return templates;
}

function descriptionsIn(family: Family): readonly string[] {
  try {
    return Object.entries(family.authoring?.template?.('new-skill') ?? {})
      .filter(([path]) => path.endsWith('.md'))
      .map(([, text]) => family.parse(bundleOfText(text, nowhere)).card.description);
  } catch {
    return []; // A family of another package need not be able to read its own template.
  }
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

const adjectives = '(?:short|brief|clear|concise|detailed|complete|one[- ](?:line|sentence))';
const skill = '(?:skill|subagent|agent)';

const placeholders: readonly RegExp[] = [
  /^\W{0,5}(?:TODO|TBD|FIXME|XXX)(?:\s{0,3}[:\]>)–—]|\W{0,5}$)/,
  /^(?:todo|tbd|placeholder|description|lorem ipsum.*)\W{0,5}$/i,
  // The entire text is in brackets.
  /^(?:<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\}|\$\{[^{}]*\})\.?$/,
  /^[<[{]{1,2}\s{0,3}(?:add|enter|replace|your|brief|short)\b/i,
  /[<[{]\s{0,3}(?:describe|insert|explain)\s/i,
  /^replace (?:me\b|this\b|with\b.*\bdescription\b)/i,
  new RegExp(`^(?:describe|explain|say|state) what (?:this|the|your|my) ${skill} (?:does|is|will)\\b`, 'i'),
  /\bdescribe here\b/i,
  new RegExp(`\\b(?:your|my|the|a|an|add|insert|enter) (?:\\w{1,20} )?description (?:goes )?here\\b`, 'i'),
  new RegExp(
    `^(?:(?:a|an|the|your|my) )?(?:${adjectives} ){0,2}(?:${skill} )?description(?: of (?:what )?(?:this|the|your|my) (?:\\w{1,20} )?${skill}\\b[^.]*)?\\W{0,5}$`,
    'i',
  ),
];

function isPlaceholder(text: string): boolean {
  return placeholders.some((pattern) => pattern.test(text)) || hasVariable(text);
}

/** Whether a text contains a placeholder such as `{{name}}`, except in a text about placeholders. */
function hasVariable(text: string): boolean {
  return (
    /\{\{[^{}]{0,80}\}\}/.test(text) &&
    !/`[^`]*\{\{|["'“(][^"'“(]{0,40}\{\{|\b(?:templat|placeholder|variable|mustache|handlebars|jinja|liquid|interpolat)/i.test(
      text,
    )
  );
}
