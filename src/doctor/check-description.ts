import {
  bundleOfText,
  findSecretShapes,
  nowhere,
  optional,
  type Bundle,
  type Family,
  type Issue,
} from '../core/index.ts';

/**
 * Returns an issue if a skill's description contains a secret or has not been changed since the skill was
 * created from a template. Models read all descriptions and choose skills by them.
 */
export function checkDescription(
  description: string,
  bundle: Bundle,
  templates: Templates,
): readonly Issue[] {
  const line = bundle.head.lineOf('description');
  if (isSecret(description)) {
    const message = 'The description contains text that looks like a secret. Models and logs would show it.';
    return [issue('description.secret', message, line, 'Remove the secret, and revoke it if it is real.')];
  }
  if (templates.has(plain(description)) || isPlaceholder(description)) {
    const message =
      'The description is still the text of a template, so models cannot choose the skill by it.';
    return [issue('description.template', message, line, 'Say what the skill does and when to use it.')];
  }
  return [];
}

function issue(code: Issue['code'], message: string, line: number | undefined, hint: string): Issue {
  return { level: 'warning', code, message, ...optional('line', line), hint, standard: true };
}

/** The descriptions that new skills have before their first edit. */
export type Templates = ReadonlySet<string>;

/** Returns the descriptions in the templates of all families. */
export function templatesOf(families: readonly Family[]): Templates {
  const texts = families.flatMap((family) =>
    Object.entries(family.authoring?.template?.('new-skill') ?? {})
      .filter(([path]) => path.endsWith('.md'))
      .map(([, text]) => family.parse(bundleOfText(text, nowhere)).card.description),
  );
  return new Set(texts.map(plain));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

const assigned =
  /\b(?:api[ _-]?key|access[ _-]?key|secret|password|passwd|token)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"'<>{}[\]]{8,200})/gi;

function isSecret(text: string): boolean {
  if (findSecretShapes(text).length > 0) return true;
  if ([...text.matchAll(assigned)].some(([, value = '']) => mixesDigits(value))) return true;
  // A description that is a single long word is not a sentence.
  return /^[\w+/=.-]{20,}$/.test(text) && mixesDigits(text.replace(/[-_.]/g, ''));
}

function mixesDigits(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text);
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
