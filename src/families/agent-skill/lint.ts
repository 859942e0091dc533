import { basename } from 'node:path';
import {
  didYouMean,
  findUnusedField,
  isJsonObject,
  normaliseKey,
  type Bundle,
  type Issue,
  type Json,
  type OtherProgram,
} from '../../core/index.ts';

/** The frontmatter fields that the open standard defines. */
export const standardFields = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
];

const claude: readonly OtherProgram[] = ['Claude Code'];
const claudeAndAgentick: readonly OtherProgram[] = ['Claude Code', 'Agentick'];
const whoMayCall: readonly OtherProgram[] = ['Claude Code', 'OpenClaw', 'Agentick'];

/** The fields that extend the standard, each with the other programs that support it. */
export const extensionFields: Readonly<Record<string, readonly OtherProgram[]>> = {
  when_to_use: claudeAndAgentick,
  'argument-hint': claudeAndAgentick,
  arguments: claudeAndAgentick,
  'disable-model-invocation': [...whoMayCall, 'pi'],
  'user-invocable': whoMayCall,
  'disallowed-tools': claude,
  model: claude,
  effort: claude,
  context: claude,
  agent: claude,
  background: claude,
  hooks: claude,
  paths: claude,
  shell: claude,
  maxTicks: ['Agentick'],
  'max-ticks': ['Agentick'],
  input: [],
  output: [],
  'enforce-tools': [],
  'allow-dash': [],
  tags: [],
};
/** All known frontmatter fields. The standard's fields come first. */
export const knownFields = [...standardFields, ...Object.keys(extensionFields)];

/**
 * Returns the issues that the open standard's reference validator would report. The issue codes begin with
 * `standard`.
 */
export function lintStandard(bundle: Bundle): readonly Issue[] {
  if (bundle.command === true) return []; // The standard does not cover command files.
  if (!bundle.head.present) {
    return [
      createIssue(
        'standard.frontmatter',
        'The file has no frontmatter.',
        1,
        'Start the file with a --- line, a name and a description.',
      ),
    ];
  }
  const issues: Issue[] = [];
  const written = basename(bundle.file);
  if (!bundle.loose && written !== 'SKILL.md' && written !== 'skill.md') {
    issues.push(
      createIssue(
        'standard.file',
        `The standard requires the file name SKILL.md, not ${written}.`,
        1,
        'Rename the file.',
      ),
    );
  }
  checkFields(bundle, issues);
  checkName(bundle, issues);
  checkText(bundle, 'description', 1024, true, issues);
  checkText(bundle, 'compatibility', 500, false, issues);
  checkMetadata(bundle, issues);
  return issues;
}

function checkFields(bundle: Bundle, issues: Issue[]): void {
  for (const key of bundle.head.keys) {
    if (standardFields.includes(key)) continue;
    const line = bundle.head.lineOf(key);
    const spelled = standardFields.find((field) => field === normaliseKey(key));
    if (spelled !== undefined) {
      issues.push(
        createIssue(
          'standard.field',
          `The standard spells "${key}" as "${spelled}".`,
          line,
          'Strict clients ignore this spelling.',
        ),
      );
    } else if (knownFields.some((field) => normaliseKey(field) === normaliseKey(key))) {
      const message = `"${key}" is an extension, not a field of the standard.`;
      const issue = createIssue('standard.field', message, line, 'Strict clients reject this field.');
      // The issue is only informational, because this runtime supports the extension.
      issues.push({ ...issue, level: 'info' });
    } else {
      const unused = findUnusedField('skill', key);
      const hint = didYouMean(normaliseKey(key), knownFields) ?? 'Move the field under "metadata".';
      issues.push(
        unused === undefined
          ? createIssue('standard.field', `"${key}" is not a known field.`, line, hint)
          : createIssue(
              'standard.field',
              `"${key}" is a field of ${unused.program} and has no effect.`,
              line,
              unused.why,
            ),
      );
    }
  }
}

function checkName(bundle: Bundle, issues: Issue[]): void {
  const line = bundle.head.lineOf('name');
  const value = exact(bundle, 'name');
  if (typeof value !== 'string' || value.trim() === '') {
    if (isMisspelt(bundle, 'name')) return;
    issues.push(
      createIssue('standard.name', 'The name is missing.', line, 'Add "name:", followed by the folder name.'),
    );
    return;
  }
  const name = value.trim().normalize('NFKC');
  const faults: string[] = [];
  if (Array.from(name).length > 64) faults.push('is longer than 64 characters');
  if (name !== name.toLowerCase()) faults.push('is not lowercase');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('starts or ends with a hyphen');
  if (name.includes('--')) faults.push('has two hyphens in a row');
  if (!/^[\p{L}\p{N}-]+$/u.test(name)) faults.push('has characters other than letters, digits and hyphens');
  if (!bundle.loose && name !== bundle.stem.normalize('NFKC'))
    faults.push(`does not match the name of its folder (${bundle.stem})`);
  if (faults.length === 0) return;
  const hint = 'Use 1 to 64 lowercase letters, digits and single hyphens, and the same name for the folder.';
  issues.push(createIssue('standard.name', `The name "${name}" ${joined(faults)}.`, line, hint));
}

function joined(faults: readonly string[]): string {
  return faults.length < 2 ? faults.join('') : `${faults.slice(0, -1).join(', ')} and ${faults.at(-1) ?? ''}`;
}

/** Whether a field of the standard appears only with a spelling that the standard does not allow. */
function isMisspelt(bundle: Bundle, key: string): boolean {
  return !bundle.head.keys.includes(key) && bundle.head.keys.some((written) => normaliseKey(written) === key);
}

function checkText(bundle: Bundle, key: string, most: number, required: boolean, issues: Issue[]): void {
  const value = exact(bundle, key);
  const line = bundle.head.lineOf(key);
  if (value === undefined) {
    if (required && !isMisspelt(bundle, key))
      issues.push(createIssue(`standard.${key}`, `The ${key} is missing.`, line, `Add "${key}:".`));
  } else if (typeof value !== 'string' || value.trim() === '') {
    issues.push(
      createIssue(`standard.${key}`, `The ${key} must be text and must not be blank.`, line, undefined),
    );
  } else if (Array.from(value).length > most) {
    issues.push(
      createIssue(`standard.${key}`, `The ${key} is longer than ${most} characters.`, line, 'Shorten it.'),
    );
  }
}

function checkMetadata(bundle: Bundle, issues: Issue[]): void {
  const value = exact(bundle, 'metadata');
  if (value === undefined) return;
  const line = bundle.head.lineOf('metadata');
  if (!isJsonObject(value)) {
    issues.push(createIssue('standard.metadata', 'The metadata must be a map.', line, undefined));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string')
      issues.push(
        createIssue(
          'standard.metadata',
          `The metadata "${key}" must be text.`,
          line,
          'Put the value in quotes, or move nested values to the top level.',
        ),
      );
  }
}

/** Returns a field's value if its key is spelled exactly as given, because the standard is case-sensitive. */
function exact(bundle: Bundle, key: string): Json | undefined {
  return bundle.head.keys.includes(key) ? bundle.head.fields.get(key) : undefined;
}

function createIssue(
  code: Issue['code'],
  message: string,
  line: number | undefined,
  hint: string | undefined,
): Issue {
  return {
    level: 'warning',
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
    standard: true,
  };
}
