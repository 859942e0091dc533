import type { Issue } from '../issue.ts';
import type { Preface } from './frontmatter-preface.ts';
import type { Skipped } from './yaml.ts';

/** Creates the issue for frontmatter below a preface. */
export function belowPreface({ hasTitle, codeFence }: Preface, line: number): Issue {
  if (codeFence !== undefined) {
    return {
      level: 'warning',
      code: 'frontmatter.fenced',
      message: 'The frontmatter is inside a code fence.',
      line,
      hint: 'Remove the lines of the code fence.',
      standard: true,
    };
  }
  return {
    level: 'warning',
    code: 'frontmatter.late',
    message: `There is a ${hasTitle ? 'title' : 'comment'} above the frontmatter.`,
    line,
    hint: 'Move it below the frontmatter.',
    standard: true,
  };
}

/** Creates the issue for an opening fence that names a language. */
export function languageOf(language: string, line: number): Issue {
  return {
    level: 'warning',
    code: 'frontmatter.language',
    message: `The opening fence says "${language}", but frontmatter is YAML data and is never executed.`,
    line,
    hint: 'Use a plain --- line.',
    standard: true,
  };
}

/** Creates the issue for an indented fence. */
export function indentedFence(which: 'opening' | 'closing', line: number): Issue {
  return repaired(
    'frontmatter.indented-fence',
    line,
    `The ${which} fence is indented.`,
    'Move --- to the start of its line.',
  );
}

/** Creates the issue for a file that exceeds a limit. None of the file's content is used. */
export function tooLarge(reason: string, line: number): Issue {
  return {
    level: 'error',
    code: 'frontmatter.limit',
    message: `The frontmatter is rejected: ${reason}.`,
    line,
    hint: 'Shorten the frontmatter, or raise its limit under "limits" in the settings.',
  };
}

/** Creates the issue for a repeated key. */
export function repeatedKey(key: string, line: number): Issue {
  return repaired(
    'frontmatter.repeated',
    line,
    `"${key}" is given more than once; the first value is used.`,
    'Keep only one line with this key.',
  );
}

/**
 * Creates the issue for valid YAML that is not allowed in frontmatter. `firstLine` is the line where the
 * frontmatter's YAML begins.
 */
export function skippedPart(skipped: Skipped, firstLine: number): Issue {
  const line = firstLine + skipped.line - 1;
  if (skipped.what === 'repeated') return repeatedKey(skipped.key, line);
  const names = { unsafe: `"${skipped.key}"`, merge: 'the merge key <<', document: skipped.key };
  return {
    level: 'warning',
    code: 'frontmatter.dropped',
    message: `The frontmatter contains ${names[skipped.what]}, which is ignored.`,
    line,
    ...(skipped.what === 'merge' ? { hint: 'Write the merged fields themselves.' } : {}),
    standard: true,
  };
}

/** Creates the issue for something that the open standard rejects and that was repaired. */
export function repaired(code: Issue['code'], line: number, message: string, hint: string): Issue {
  return { level: 'warning', code, message, line, hint, standard: true };
}
