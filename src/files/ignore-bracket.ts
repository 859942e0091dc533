/** A `[…]` of a pattern: what it holds, and where it ends. */
export interface Bracket {
  readonly has: (letter: string) => boolean;
  readonly end: number;
}

const classes: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[a-z\d]/i],
  ['alpha', /[a-z]/i],
  ['blank', /[ \t]/],
  ['cntrl', /[^ -\uffff]|\x7f/],
  ['digit', /\d/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[a-f\d]/i],
]);

/** The bracket that opens at an index; undefined when it never closes, so that the pattern matches nothing. */
export function bracketAt(glob: string, start: number): Bracket | undefined {
  const isNegated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const tests: ((letter: string) => boolean)[] = [];
  const first = start + (isNegated ? 2 : 1);
  let before: string | undefined; // where a range may begin
  for (let at = first; at < glob.length; at++) {
    const letter = glob.charAt(at);
    if (letter === ']' && at > first) {
      return { has: (other) => tests.some((test) => test(other)) !== isNegated, end: at };
    }
    const named = letter === '[' ? /^\[:([^\]]*):\]/.exec(glob.slice(at)) : null;
    if (named !== null) {
      const known = classes.get(named[1] ?? '');
      if (known === undefined) return undefined;
      tests.push((other) => known.test(other));
      at += named[0].length - 1;
      before = undefined;
      continue;
    }
    const isRange = letter === '-' && before !== undefined && at + 1 < glob.length && glob[at + 1] !== ']';
    if (isRange) at++;
    if (glob[at] === '\\') at++;
    const literal = glob.charAt(at);
    if (literal === '') return undefined;
    const from = isRange && before !== undefined ? before : literal;
    tests.push((other) => other >= from && other <= literal);
    before = isRange ? undefined : literal;
  }
  return undefined;
}
