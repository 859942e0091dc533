const invisible = /^[\ufeff\u200b-\u200d\u2060]*/;

/**
 * The lines of a script without their ends, which are LF, CRLF or CR. Invisible characters in front of it become
 * blanks, so that columns stay what they are.
 */
export function splitLines(script: string): readonly string[] {
  const hidden = invisible.exec(script)?.[0].length ?? 0;
  const visible = hidden === 0 ? script : ' '.repeat(hidden) + script.slice(hidden);
  return visible.split(/\r\n|\n|\r/);
}
