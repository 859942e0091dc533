import type { Issue } from './issue.ts';
import type { Skipped } from './yaml.ts';

/** The finding that refuses a file: a limit was passed, so nothing of it is used. */
export function tooLarge(reason: string, line: number): Issue {
  return {
    level: 'error',
    code: 'frontmatter.limit',
    message: `The frontmatter is refused: ${reason}.`,
    line,
    hint: 'Shorten it, or raise the limit in settings (limits).',
  };
}

/** The finding for a key that stands twice. */
export function repeatedKey(key: string, line: number): Issue {
  return repaired(
    'frontmatter.repeated',
    line,
    `"${key}" is given more than once; the first value counts.`,
    'Remove all but one.',
  );
}

/** The finding for something that valid YAML says but frontmatter may not; `firstLine` is where that YAML begins. */
export function skippedPart(skipped: Skipped, firstLine: number): Issue {
  const line = firstLine + skipped.line - 1;
  if (skipped.what === 'repeated') return repeatedKey(skipped.key, line);
  const name = skipped.what === 'unsafe' ? `"${skipped.key}"` : skipped.key;
  return {
    level: 'warning',
    code: 'frontmatter.dropped',
    message: `The frontmatter holds ${name}, which is never read.`,
    line,
    standard: true,
  };
}

/** A finding for something that was repaired, and that the open standard refuses. */
export function repaired(code: Issue['code'], line: number, message: string, hint: string): Issue {
  return { level: 'warning', code, message, line, hint, standard: true };
}
