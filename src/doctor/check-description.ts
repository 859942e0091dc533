import { findSecretShapes, optional, type Bundle, type Family, type Issue } from '../core/index.ts';
import { isTemplateDescription } from '../skills/registry/template-description.ts';

/**
 * Returns an issue if a skill's description contains a secret or has not been changed since the skill was
 * created from a template. Models read all descriptions and choose skills by them.
 */
export function checkDescription(
  description: string,
  bundle: Bundle,
  families: readonly Family[],
): readonly Issue[] {
  const line = bundle.head.lineOf('description');
  if (isSecret(description)) {
    const message = 'The description contains text that looks like a secret. Models and logs would show it.';
    return [issue('description.secret', message, line, 'Remove the secret, and revoke it if it is real.')];
  }
  if (isTemplateDescription(description, families)) {
    const message =
      'The description is still the text of a template, so models cannot choose the skill by it.';
    return [issue('description.template', message, line, 'Say what the skill does and when to use it.')];
  }
  return [];
}

function issue(code: Issue['code'], message: string, line: number | undefined, hint: string): Issue {
  return { level: 'warning', code, message, ...optional('line', line), hint, standard: true };
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
