/** A text as a YAML scalar on one line: plain where that is safe, else in double quotes. */
export function scalarText(text: string): string {
  return isPlain(text) ? text : quoted(text);
}

/** Texts as a YAML flow list. */
export function flowListText(items: readonly string[]): string {
  return `[${items.map(itemText).join(', ')}]`;
}

/** A text as an entry of a YAML list of either style. */
export function itemText(item: string): string {
  return isPlain(item) && !/[,[\]{}]/.test(item) ? item : quoted(item);
}

function isPlain(text: string): boolean {
  if (!/^[\p{L}\p{N}_./(][\p{L}\p{M}\p{N} _.,/()[\]{}*+=@%$&;!?'"<>|~^`#:-]*$/u.test(text)) return false;
  if (/^(?:null|true|false|yes|no|on|off)$/i.test(text)) return false;
  return !text.endsWith(' ') && !text.endsWith(':') && !text.includes(': ') && !text.includes(' #');
}

/** JSON's escapes are YAML's; what YAML forbids unescaped is escaped as well. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
