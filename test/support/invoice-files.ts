const total = `# Invoice Total

## Description

Adds up the lines of an invoice.

## Input Format

\`\`\`json
{
  "type": "object",
  "properties": { "lines": { "type": "string", "description": "One line for each thing: count, x, price." } },
  "required": ["lines"]
}
\`\`\`

## Output Format

\`\`\`json
{ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] }
\`\`\`
`;

const check = `# Invoice Check

## Description

Compares the sum that an invoice claims with that of its lines.

## Input Format

\`\`\`json
{
  "type": "object",
  "properties": { "lines": { "type": "string" }, "claimed": { "type": "number" } },
  "required": ["lines", "claimed"]
}
\`\`\`

## Output Format

\`\`\`json
{ "type": "string" }
\`\`\`
`;

const checkCode = `import type { CodeScope } from 'skilled';

export async function action(
  { lines, claimed }: { lines: string; claimed: number },
  scope: CodeScope,
): Promise<string> {
  const added = await scope.call('invoice-total', { lines });
  if (added.status === 'failed') throw new Error(added.text);
  const { total } = added.value as { total: number };
  scope.note(\`\${claimed} is claimed.\`);
  return \`The lines come to \${total}: \${total === claimed ? 'right' : 'wrong'}.\`;
}
`;

const desk = `# Invoice Desk

## Description

Says whether an invoice is right.

## Instructions

Have the sum checked before you answer.

## Session

loop

## Allowed Skills

- invoice-check
`;

const indexSpec = `# Entry

Takes the text of the lines, adds up count times price of each, and gives the rounded total.

## Dependencies

- parse-lines : reads the lines
- round-money : rounds the sum
`;

const linesSpec = '# Lines\n\n`parseLines(text)` gives count and price of each line such as `2 x 3.10`.\n';

const linesCode = `export function parseLines(text: string): readonly { count: number; price: number }[] {
  return text.split('\\n').flatMap((line) => {
    const [count, price] = line.split(' x ').map(Number);
    return count === undefined || price === undefined ? [] : [{ count, price }];
  });
}
`;

const roundTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundMoney } from '../src/round-money.ts';

test('whole amounts stay', () => assert.equal(roundMoney(3), 3));
`;

const roundSpec = '# Money\n\n`roundMoney(amount)` rounds to cents.\n';

const indexCode = `import { parseLines } from './parse-lines.ts';
import { roundMoney } from './round-money.ts';

export function action({ lines }: { lines: string }): { total: number } {
  const sum = parseLines(lines).reduce((all, { count, price }) => all + count * price, 0);
  return { total: roundMoney(sum) };
}
`;

const byCents = `export function roundMoney(amount: number): number {
  return Math.round(amount * 100) / 100;
}
`;

/**
 * The language of the generated code. Type-checking one generated file takes longer than the rest of the
 * test.
 */
export type Language = 'ts' | 'mjs';

const name = 'skills/invoice-total';

/**
 * Returns a project with an orchestrator that calls a handwritten code skill, which in turn calls a code
 * skill generated from three specs.
 */
export function invoiceFiles(language: Language): Readonly<Record<string, string>> {
  const specs = { index: indexSpec, 'parse-lines': linesSpec, 'round-money': roundSpec };
  const named = Object.entries(specs).map(([stem, text]) => [specOf(stem, language), text] as const);
  return {
    'skills/invoice-desk/oskill.md': desk,
    'skills/invoice-check/cskill.md': check,
    'skills/invoice-check/src/index.ts': checkCode,
    [`${name}/cskill.md`]: total,
    ...(Object.fromEntries(named) as Readonly<Record<string, string>>),
    [`${name}/tests/round-money.test.ts`]: roundTest.replace('.ts', `.${language}`),
  };
}

/** Returns the path of the spec for rounding amounts, and its changed text. */
export function changedSpec(language: Language): readonly [path: string, text: string] {
  return [specOf('round-money', language), roundSpec.replace('cents', 'whole euros')];
}

/**
 * The model's replies to requests for a file. A reply applies if its marks occur in the conversation; the
 * last one that applies wins.
 */
export const invoiceAnswers: readonly (readonly [marks: readonly string[], text: string])[] = [
  ...answersFor('parse-lines', linesCode),
  ...answersFor('round-money', byCents),
  ...answersFor('round-money', byCents.replace('amount * 100) / 100', 'amount)'), 'to whole euros'),
  ...answersFor('index', indexCode),
];

function specOf(stem: string, language: Language): string {
  return `${name}/specs/${stem}${language === 'ts' ? '' : `.${language}`}.md`;
}

/** Returns the replies for both languages. `more` is a mark that the changed spec contains. */
function answersFor(stem: string, code: string, more = ''): typeof invoiceAnswers {
  const plain = code
    .replace(/: string.*\{$|: number.*\{$|: \{ lines.*\{$/m, ') {')
    .replaceAll(".ts'", ".mjs'");
  return [['ts', code] as const, ['mjs', plain] as const].map(([language, text]) => {
    const file = `src/${stem}.${language}`;
    return [[`Write ${file}.`, more], `## file: ${file}\n\`\`\`${language}\n${text}\`\`\`\n`];
  });
}
