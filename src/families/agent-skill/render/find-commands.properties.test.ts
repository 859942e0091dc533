import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Token } from 'markdown-it';
import { openLoops } from '../../../../test/stress/stress.ts';
import { markdownParser } from '../../../core/package-files.ts';
import { commandParser, findCommands } from './find-commands.ts';

const pieces = [
  ...[
    '!`',
    '`',
    ' !`id`',
    '\n',
    '\n\n',
    '```!\n',
    '```\n',
    '~~~\n',
    '> ',
    '- ',
    '  ',
    '    ',
    '# ',
    '1. ',
    '\t',
  ],
  ...[
    '[',
    '](x)',
    '![',
    '<b>',
    '</b>',
    '<!-- ',
    ' -->',
    '|',
    '|---|\n',
    '\\',
    'a',
    ' ',
    '``',
    '\r\n',
    '\r',
    '\0',
  ],
  ...['*', '_', '===\n', '---\n', '[a]: /b\n', '[a]', '\u00a0', '!', '&amp;', '<div>\n', 'é', '😀'],
];
const markdown = fc
  .array(fc.constantFrom(...pieces), { maxLength: 40, size: 'max' })
  .map((parts) => parts.join(''));

const { createLoop } = openLoops(import.meta);
const trees = createLoop({ small: 400, full: 20_000 });
const commands = createLoop({ small: 500, full: 30_000 });

test('the tree is the one that everybody else reads', () => {
  fc.assert(
    fc.property(markdown, (body) => {
      assert.deepEqual(
        commandParser().parse(body, {}).map(plain),
        markdownParser().parse(body, {}).map(plain),
      );
    }),
    trees.runs(),
  );
});

/** Returns a token without the marks of commands. */
function plain(token: Token): unknown {
  const { type, tag, content, markup, info, map, level, meta, children } = token;
  const ownMeta = type === 'code_inline' ? null : meta;
  return { type, tag, content, markup, info, map, level, meta: ownMeta, children: children?.map(plain) };
}

test('every match has the form of a command, and is in a code span of the tree, in order', () => {
  let found = 0;
  fc.assert(
    fc.property(markdown, (body) => {
      const spans = codeSpans(body);
      let done = 0;
      for (const { kind, start, end, from, to, line } of findCommands(body)) {
        assert.ok(start >= done && from <= to && to <= end);
        done = end;
        assert.equal(body.slice(0, start).split(/\r\n?|\n/).length, line);
        if (kind === 'block') {
          assert.match(body.slice(start, end), /^```[ \t]*!/);
          continue;
        }
        found++;
        assert.equal(body.slice(start, from), '!`');
        assert.equal(body.slice(to, end), '`');
        assert.match(body.slice(0, start), /(?:^|\s|[#>)*+-])$/);
        const content = body.slice(from, to).replaceAll('\0', '\ufffd');
        const stripped = /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
        const at = spans.indexOf(stripped);
        assert.ok(at >= 0, `${content} is no code span`);
        spans.splice(0, at + 1);
      }
    }),
    commands.runs(),
  );
  assert.ok(found > 40, `only ${found} were seen`);
});

/** Returns the code spans outside of quotes, tables, links and images, in order. */
function codeSpans(body: string): string[] {
  const spans: string[] = [];
  let aside = 0;
  for (const { type, nesting, children } of markdownParser().parse(body, {})) {
    if (/^(?:blockquote|table)_/.test(type)) aside += nesting;
    let links = 0;
    for (const child of children ?? []) {
      if (/^link_/.test(child.type)) links += child.nesting;
      if (child.type === 'code_inline' && aside + links === 0) spans.push(child.content);
    }
  }
  return spans;
}

test('a body as large as a body can be takes a moment', () => {
  const size = 100_000;
  const units = [
    ' !`',
    '!`',
    '`',
    '`a``b```c',
    ' !`id` ',
    '```!\n',
    '```!\nid\n```\n',
    '> ',
    '- ',
    '[',
    '[ !`',
    '![!`a',
  ];
  const more = [
    '<b> !`',
    '<b>',
    '</b> !`id`',
    '\\',
    '*!`a`',
    '\n!`',
    '| !`a` ',
    'a!`b` ',
    '<a !`',
    '!` ',
    '[a](',
  ];
  for (const unit of [...units, ...more]) findCommands(`!\`a\` ${unit.repeat(size / unit.length)}`);
});
