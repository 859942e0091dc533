/**
 * Text above the frontmatter that a reader would ignore: a comment, a title, or the start of a code fence.
 */
export interface Preface {
  /** The index of the first line after the preface. */
  readonly end: number;
  /** Whether the preface includes a title. */
  readonly hasTitle: boolean;
  /** The characters of the code fence that surrounds the frontmatter, such as three backticks. */
  readonly codeFence?: string;
}

/**
 * Finds the preface that starts at a line. Returns undefined if there is none. A code fence below a title is
 * an example, so it is not part of a preface.
 */
export function findPreface(lines: readonly { readonly text: string }[], first: number): Preface | undefined {
  let hasTitle = false;
  let index = first;
  while (index < lines.length) {
    const text = visibleText(lines[index]?.text ?? '');
    const codeFence = /^(`{3,}|~{3,})[ \t]*(?:ya?ml|markdown|md|skill)?$/i.exec(text)?.[1];
    if (codeFence !== undefined && !hasTitle) return { end: index + 1, hasTitle, codeFence };
    if (text.startsWith('<!--')) {
      const close = lines.findIndex((line, at) => at >= index && line.text.includes('-->'));
      if (close < 0 || !/-->\s*$/.test(lines[close]?.text ?? '')) break;
      index = close + 1;
    } else if (/^#{1,6}\s+\S/.test(text) && !hasTitle) {
      hasTitle = true;
      index++;
    } else if (text === '' && index > first) index++;
    else break;
  }
  return index === first ? undefined : { end: index, hasTitle };
}

/** Returns a line without surrounding spaces and the invisible characters that editors leave at its start. */
export function visibleText(line: string): string {
  return line.replace(/^(?:ï»¿|[\p{Cf}\p{Cc}\s])+/u, '').trimEnd();
}
