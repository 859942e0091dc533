import type { Given } from '../../core/descriptor/values.ts';
import type { Issue } from '../../core/issue.ts';

/** The model a section names: its first word; a name with prose behind it would reach no provider. */
export function modelIn(given: Given | undefined, issues: Issue[]): string | undefined {
  const [first = '', ...rest] =
    given?.text
      .replace(/^\s*[-*+]\s+/, '')
      .trim()
      .split(/\s+/) ?? [];
  const model = first.replace(/^(`|\*\*|")(.*)\1$/, '$2');
  if (given === undefined || model === '') return undefined;
  if (rest.length > 0) {
    issues.push({
      level: 'warning',
      code: 'model.prose',
      message: `Only "${model}" is read as the model; the text behind it is not.`,
      line: given.line,
      hint: 'Move the explanation to another section.',
    });
  }
  return model;
}

/** The tier a section asks for: `deep` or `code` anywhere in it mean code, everything else means fast. */
export function tierIn(given: Given | undefined, issues: Issue[]): 'code' | 'fast' | undefined {
  if (given === undefined) return undefined;
  if (/deep|code/i.test(given.text)) return 'code';
  if (!/fast/i.test(given.text)) {
    issues.push({
      level: 'warning',
      code: 'tier.unknown',
      message: 'The tier is neither "code" nor "fast"; fast is used.',
      line: given.line,
      hint: 'Write code or fast, or name a model in a "Model" section.',
    });
  }
  return 'fast';
}
