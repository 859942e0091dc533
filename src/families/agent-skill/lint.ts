import { basename } from 'node:path';
import {
  didYouMean,
  isJsonObject,
  normaliseKey,
  type Bundle,
  type Issue,
  type Json,
} from '../../core/index.ts';

const standardFields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
const extensions =
  'when_to_use argument-hint arguments disable-model-invocation user-invocable disallowed-tools model effort context ' +
  'agent background hooks paths shell maxTicks max-ticks input output enforce-tools allow-dash tags';
/** Every field that has a meaning, those of the standard first. */
export const knownFields = [...standardFields, ...extensions.split(' ')];

/** What the open standard's reference validator would refuse; each finding is marked `standard`. */
export function lintStandard(bundle: Bundle): readonly Issue[] {
  if (!bundle.head.present) {
    return [
      finding(
        'standard.frontmatter',
        'The file does not start with frontmatter.',
        1,
        'Start it with a --- line, a name and a description.',
      ),
    ];
  }
  const issues: Issue[] = [];
  const written = basename(bundle.file);
  if (!bundle.loose && written !== 'SKILL.md' && written !== 'skill.md') {
    issues.push(
      finding('standard.file', `The standard knows SKILL.md, not ${written}.`, 1, 'Rename the file.'),
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
        finding(
          'standard.field',
          `The standard writes "${key}" as "${spelled}".`,
          line,
          'Strict clients do not find it.',
        ),
      );
    } else if (knownFields.some((field) => normaliseKey(field) === normaliseKey(key))) {
      const message = `"${key}" is an extension, not a field of the standard.`;
      const issue = finding('standard.field', message, line, 'Strict clients refuse it.');
      issues.push({ ...issue, level: 'info' }); // it does what it says
    } else {
      const hint = didYouMean(normaliseKey(key), knownFields) ?? 'Put it under "metadata".';
      issues.push(finding('standard.field', `"${key}" is not a known field.`, line, hint));
    }
  }
}

function checkName(bundle: Bundle, issues: Issue[]): void {
  const line = bundle.head.lineOf('name');
  const value = exact(bundle, 'name');
  if (typeof value !== 'string' || value.trim() === '') {
    issues.push(
      finding('standard.name', 'The name is missing.', line, 'Add "name:" with the name of the folder.'),
    );
    return;
  }
  const name = value.trim().normalize('NFKC');
  const faults: string[] = [];
  if (Array.from(name).length > 64) faults.push('is longer than 64 characters');
  if (name !== name.toLowerCase()) faults.push('is not lower case');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('starts or ends with a hyphen');
  if (name.includes('--')) faults.push('has two hyphens in a row');
  if (!/^[\p{L}\p{N}-]+$/u.test(name)) faults.push('has characters other than letters, digits and hyphens');
  if (!bundle.loose && name !== bundle.stem.normalize('NFKC'))
    faults.push(`is not the name of its folder (${bundle.stem})`);
  for (const fault of faults)
    issues.push(finding('standard.name', `The name "${name}" ${fault}.`, line, undefined));
}

function checkText(bundle: Bundle, key: string, most: number, required: boolean, issues: Issue[]): void {
  const value = exact(bundle, key);
  const line = bundle.head.lineOf(key);
  if (value === undefined) {
    if (required) issues.push(finding(`standard.${key}`, `The ${key} is missing.`, line, `Add "${key}:".`));
  } else if (typeof value !== 'string' || value.trim() === '') {
    issues.push(finding(`standard.${key}`, `The ${key} must be text that is not blank.`, line, undefined));
  } else if (Array.from(value).length > most) {
    issues.push(
      finding(`standard.${key}`, `The ${key} is longer than ${most} characters.`, line, 'Shorten it.'),
    );
  }
}

function checkMetadata(bundle: Bundle, issues: Issue[]): void {
  const value = exact(bundle, 'metadata');
  if (value === undefined) return;
  const line = bundle.head.lineOf('metadata');
  if (!isJsonObject(value)) {
    issues.push(finding('standard.metadata', 'The metadata must be a map.', line, undefined));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string')
      issues.push(
        finding('standard.metadata', `The metadata "${key}" must be text.`, line, 'Quote it, or flatten it.'),
      );
  }
}

/** The value under exactly this spelling: the standard knows no other case. */
function exact(bundle: Bundle, key: string): Json | undefined {
  return bundle.head.keys.includes(key) ? bundle.head.fields.get(key) : undefined;
}

function finding(
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
