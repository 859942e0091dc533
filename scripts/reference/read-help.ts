/** A flag of a command, as described in its help. */
export interface HelpFlag {
  /** The flag with its short form and its value. */
  readonly flag: string;
  readonly meaning: string;
}

/** A part of a command's help. */
export type HelpPart =
  | { readonly kind: 'usage' | 'prose' | 'example' | 'json'; readonly text: string }
  | { readonly kind: 'flags'; readonly flags: readonly HelpFlag[] };

/**
 * Splits a help text into parts, in order. The indentation of a paragraph determines the kind of part. Pure.
 */
export function readHelp(text: string): readonly HelpPart[] {
  return text
    .split(/\n{2,}|\n(?= {2}-)(?<=:\n)/)
    .map((paragraph) => paragraph.trimEnd())
    .filter((paragraph) => paragraph !== '')
    .map(partOf);
}

function partOf(paragraph: string): HelpPart {
  if (paragraph.startsWith('Usage:'))
    return { kind: 'usage', text: paragraph.replaceAll(/^(?:Usage: | {7})/gm, '') };
  if (/^ {2}-/.test(paragraph)) return { kind: 'flags', flags: flagsIn(paragraph) };
  if (!paragraph.startsWith(' ')) return { kind: 'prose', text: paragraph.replaceAll('\n', ' ') };
  const text = paragraph.replaceAll(/^ {2}/gm, '');
  return { kind: text.startsWith('{') ? 'json' : 'example', text };
}

function flagsIn(paragraph: string): readonly HelpFlag[] {
  return paragraph.split(/\n(?= {2}-)/).map((entry) => {
    const [, flag = '', meaning = ''] = /^ {2}((?:-\w, )?--[\w-]+(?: <[^>]+>)?)\s+([^]*)$/.exec(entry) ?? [];
    if (flag === '') throw new Error(`This is no flag with a meaning behind it: ${entry}`);
    return { flag, meaning: meaning.replaceAll(/\s+/g, ' ') };
  });
}
