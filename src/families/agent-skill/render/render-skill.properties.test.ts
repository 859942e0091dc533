import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../../test/stress/stress.ts';
import { isAgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import { shellParts } from '../../../shell/command-line.ts';
import { anyCharacter } from '../../../testing/garbage.ts';
import { findCommands } from './find-commands.ts';
import { hasCommands, joinPieces, renderBody, type DynamicCommand } from './render-skill.ts';

const { createLoop } = openLoops(import.meta);
const context = { session: 's', skillDir: '/d', projectDir: '/p' };
const argumentNames = ['name', 'other-name'];

function pieces(body: string, args: Json | undefined): readonly (string | DynamicCommand)[] {
  return renderBody(body, { args, argumentNames, positional: 'declared', context, allowDash: false }).pieces;
}

const parts = [
  ...[
    '$0',
    '$1',
    '$ARGUMENTS',
    '$name',
    '${other-name}',
    '\\',
    '${SKILLED_SKILL_DIR}',
    '$',
    '`',
    '!`',
    ' ',
    '\n',
  ],
  ...[
    ' !`ls $0` ',
    ' !`grep "$name" f | sort; ls` ',
    '\n```!\nls $1\n```\n',
    '> ',
    '- ',
    '# ',
    'text',
    '|',
    '<b>',
    '[',
    '](a)',
  ],
];
const bodies = fc.array(fc.constantFrom(...parts), { maxLength: 25, size: 'max' }).map((all) => all.join(''));
const nasty = fc.constantFrom(
  '!`id`',
  '$0',
  '$ARGUMENTS',
  '`',
  '```!\nid\n```',
  "'",
  '"',
  '; id',
  '$(id)',
  '\n',
  '\\',
  ' ',
  'é',
);
const arg = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(nasty).map((all) => all.join('')),
);

const commandRuns = createLoop({ small: 400, full: 20_000 });
const plainRuns = createLoop({ small: 300, full: 10_000 });
const valueRuns = createLoop({ small: 300, full: 10_000 });

test('no argument changes how many commands there are, in which order, and of what they are made', () => {
  let total = 0;
  fc.assert(
    fc.property(bodies, arg, arg, (body, one, other) => {
      const harmless = commandsWith(body, ['a', 'b']);
      const actual = commandsWith(body, [one, other]);
      if (actual === undefined || harmless === undefined) return;
      total += actual.length;
      assert.deepEqual(actual.map(outlineOf), harmless.map(outlineOf));
      assert.equal(hasCommands(body), actual.length > 0);
    }),
    commandRuns.runs(),
  );
  assert.ok(total > 60, `only ${total} commands were seen`);
});

/** Returns the commands, or undefined if an argument cannot be inserted into one of them. */
function commandsWith(body: string, args: Json): readonly DynamicCommand[] | undefined {
  try {
    return pieces(body, args).filter((piece) => typeof piece !== 'string');
  } catch (error) {
    assert.ok(isAgentError(error) && error.code === 'usage.bad-input');
    return undefined;
  }
}

function outlineOf({ kind, source, at, line, command }: DynamicCommand): unknown {
  return {
    kind,
    source,
    at,
    line,
    programs: shellParts(command).parts.map((part) => part.command.split(' ')[0]),
  };
}

test('a body without placeholders and commands stays as it is', () => {
  const plain = fc.array(fc.constantFrom(...parts, '\0', '\r\n', '$x', '${', '\ud800'), {
    maxLength: 25,
    size: 'max',
  });
  fc.assert(
    fc.property(
      plain.map((all) => all.join('').replace(/\$(?=0|1|A|n|\{other|\{SK)/g, 'S')),
      fc.option(arg, { nil: undefined }),
      (body, args) => {
        const commands = findCommands(body);
        fc.pre(commands.length === 0);
        const text = joinPieces(pieces(body, args), () => '');
        const hasLine = args !== undefined && args.trim() !== '';
        assert.ok(text.startsWith(body));
        assert.equal(text.slice(body.length).trimStart(), hasLine ? `ARGUMENTS: ${args}` : '');
      },
    ),
    plainRuns.runs(),
  );
});

test('what is put in is never looked at again', () => {
  fc.assert(
    fc.property(bodies, arg, arg, (body, one, other) => {
      fc.pre(findCommands(body).length === 0);
      // Replaces the values by letters that occur nowhere else, and the letters by the values again.
      const marked = joinPieces(pieces(body, ['\ue000', '\ue001']), () => '');
      const whole = JSON.stringify(['\ue000', '\ue001']);
      const expected = marked
        .replaceAll(whole, '\ue002')
        .replace(
          /[\ue000-\ue002]/g,
          (mark) => [one, other, JSON.stringify([one, other])][mark.charCodeAt(0) - 0xe000] ?? '',
        );
      fc.pre(!/[\ue000-\ue002]/.test(one + other));
      assert.equal(
        joinPieces(pieces(body, [one, other]), () => ''),
        expected,
      );
    }),
    valueRuns.runs(),
  );
});

test('the largest body takes a moment', () => {
  const units = ['$', '\\', '\\$0', '$0 ', '${', '$a-', '${a', '$name-', '$ARGUMENTS[', '!`ls` ', '\\$'];
  for (const unit of units) pieces(unit.repeat(200_000 / unit.length), 'x y');
});
