/** What a line opens that may be a call. */
export interface Opening {
  /** `call` for sure, `json` perhaps; `result` is none, but what a model imagines after its call. */
  readonly kind: 'call' | 'json' | 'result';
  /** The backticks or tildes. */
  readonly marks: string;
  /** The text up to the content. */
  readonly head: string;
}

const kinds: Readonly<Record<string, Opening['kind']>> = {
  call: 'call',
  tool_call: 'call',
  json: 'json',
  '': 'json',
  result: 'result',
};

const begun = /^[ \t]{0,16}(?:`{0,2}|~{0,2})$/;
const marked = /^[ \t]{0,16}(`{3,32}|~{3,32})[ \t]{0,4}(\w{0,10})/;

/**
 * What the beginning of a line opens, its line end included where it is there; undefined when it is nothing of that
 * kind, and `maybe` as long as more of the line may decide. What is decided stays so, whatever follows.
 */
export function openingOf(line: string): Opening | 'maybe' | undefined {
  const [head, marks = '', word = ''] = marked.exec(line) ?? [];
  if (head === undefined) return begun.test(line) ? 'maybe' : undefined;
  const tag = word.toLowerCase();
  const after = line.slice(head.length);
  if (after === '') return Object.keys(kinds).some((known) => known.startsWith(tag)) ? 'maybe' : undefined;
  const kind = Object.hasOwn(kinds, tag) ? kinds[tag] : undefined;
  if (kind === undefined || !/^[\s{]/.test(after)) return undefined;
  return { kind, marks, head: head + (after.startsWith('\n') ? '\n' : '') };
}
