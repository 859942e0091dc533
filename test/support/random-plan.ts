import fc from 'fast-check';
import { optional } from '../../src/core/collections.ts';
import type { Plan, PlanArgument, PlanReference, PlanStep } from '../../src/engines/sop/plan.ts';
import { anyCharacter } from '../../src/testing/garbage.ts';

const position = { line: 1, column: 1 };

/** The argument names that every command of a random plan accepts. */
export const randomKeys: readonly string[] = ['to', 'text', '__proto__'];

const piece = fc.oneof(
  fc.constantFrom('a', 'b', 'é', '$', '@', '#', '"', "'", '\\', '=', '-', '.', '0', '\u200b', '\ud800'),
  fc.constantFrom('when', 'not', 'each', '--', '--begin-', '--end-', 'text', 'text-2', '--begin-x--'),
  fc.string({ unit: anyCharacter, maxLength: 3 }),
);
const space = fc.constantFrom(' ', '\t', '\n', '\r', '\u00a0', '\u2028', '\ufeff', '\n--end-text--\n');

/** Any text; often one that looks like another token. */
const text = fc.array(fc.oneof({ weight: 3, arbitrary: piece }, space), { maxLength: 6 }).map(join);
const token = fc
  .array(piece, { minLength: 1, maxLength: 3 })
  .map((pieces) => join(pieces).replace(/\s/g, '') || 'x');

const reference = token.map((path): PlanReference => ({ kind: 'reference', path, position }));
const value = fc.oneof(
  reference,
  text.map((text) => ({ kind: 'text', text, position }) as const),
);
const argument: fc.Arbitrary<PlanArgument> = fc.oneof(
  { weight: 4, arbitrary: value },
  fc.tuple(value, fc.constantFrom(...randomKeys)).map(([value, key]) => ({ ...value, key })),
);

const comment = fc
  .array(text, { maxLength: 3 })
  .map((lines) => lines.map((line) => line.replace(/[\r\n]/g, '').trim()))
  .map((lines) => lines.join('\n').trim());

const step: fc.Arbitrary<PlanStep> = fc
  .record({
    name: token,
    command: token.map((command) => (command.startsWith('#') ? `x${command}` : command)),
    arguments: fc.array(argument, { maxLength: 4 }),
    each: fc.option(reference, { nil: undefined, freq: 4 }),
    when: fc.option(fc.record({ of: reference, isNegated: fc.boolean() }), { nil: undefined, freq: 3 }),
    comment: comment.map((text) => (text === '' ? undefined : text)),
  })
  .filter(
    ({ command, each, arguments: [first] }) => each !== undefined || command !== 'each' || !isList(first),
  )
  .map(({ each, when, comment, ...rest }) => ({
    ...rest,
    ...optional('each', each),
    ...optional('when', when),
    ...optional('comment', comment),
    position,
    commandPosition: position,
  }));

/** Generates every plan that can be written. Its source positions are meaningless. */
export const randomPlan: fc.Arbitrary<Plan> = fc.array(step, { maxLength: 5 }).map((steps) => ({ steps }));

/** Such a first argument would turn a command named `each` into a loop. */
function isList(argument: PlanArgument | undefined): boolean {
  return argument?.kind === 'reference' && argument.key === undefined;
}

function join(pieces: readonly string[]): string {
  return pieces.join('');
}
