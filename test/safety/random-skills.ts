import fc from 'fast-check';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { Json } from '../../src/core/json.ts';
import { anyCharacter } from '../../src/testing/garbage.ts';
import { hostileArguments } from './texts/hostile-arguments.ts';

const marks = [
  '\n',
  '\n\n',
  ' ',
  '> ',
  '- ',
  '1. ',
  '    ',
  '\t',
  '# ',
  '| ',
  '|---|',
  '<!-- ',
  ' -->',
  '<div>',
  '</div>',
];
const ticks = [
  '`',
  '``',
  '```',
  '````',
  '~~~',
  '!',
  '!`',
  '`!',
  '```!',
  '\\',
  '\\\\',
  '"',
  "'",
  '$(',
  ')',
  ';',
  '\\`',
];
const placeholders = [
  '$ARGUMENTS',
  '$ARGUMENTS[0]',
  '$0',
  '$1',
  '$name',
  '${name}',
  '$other',
  '\\$0',
  '\\\\$name',
  '$10',
];
const commands = [
  ...[
    '$0',
    '"$0"',
    "'$0'",
    '"a $name b"',
    "a'$name'b",
    '$ARGUMENTS',
    '"$(echo $name)"',
    'x=$0',
    '$0 > out.txt',
  ].map((words) => `!\`echo ${words}\``),
  ...[
    '!`sh -c "echo $0"`',
    '!`eval $0`',
    '!`$0`',
    '!`echo $((1 + $0))`',
    '!`echo ${x:-$0}`',
    '!`echo x # $0`',
  ],
  ...[
    '```!\necho $0\necho "$name"\n```',
    '```!\ncat <<EOF\n$ARGUMENTS\nEOF\n```',
    '!`echo one; echo $0 && echo $1`',
  ],
];

/** Bodies with commands, placeholders and marks in any order. */
export const anyBody = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...commands, ...placeholders) },
      { weight: 3, arbitrary: fc.constantFrom(...marks, ...ticks) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
    ),
    { minLength: 1, maxLength: 16 },
  )
  .map((pieces) => pieces.join(''))
  .filter((body) => body.trim() !== '');

/** A value: hostile, shell syntax, or any text. */
export const anyValue = fc.oneof(
  fc.constantFrom(...hostileArguments),
  fc
    .array(fc.constantFrom(...ticks, ...marks, ...placeholders, 'touch PWNED', '-', '\r'), { maxLength: 8 })
    .map((some) => some.join('')),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);

/** Two inputs of the same form with different values. */
export const twoInputs: fc.Arbitrary<readonly [Json, Json]> = fc.oneof(
  fc.tuple(anyValue, anyValue),
  fc.tuple(anyValue, anyValue, anyValue, anyValue).map(
    ([a, b, c, d]) =>
      [
        [a, b],
        [c, d],
      ] as const,
  ),
  fc.tuple(anyValue, anyValue, anyValue, anyValue).map(
    ([a, b, c, d]) =>
      [
        { name: a, other: b },
        { name: c, other: d },
      ] as const,
  ),
  fc.tuple(anyValue, anyValue).map(([a, b]) => [{ name: { deep: [a] } }, { name: { deep: [b] } }] as const),
);

/** Registers a skill `random` with these instructions until the end of the scope. */
export function lendSkill({ skills }: RecursiveSkilledAgent, instructions: string): Disposable {
  skills.register(defineSkill({ name: 'random', description: 'Random.', instructions }));
  return {
    [Symbol.dispose]: () => {
      skills.unregister('random');
    },
  };
}
