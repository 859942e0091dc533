// Prints a random sample of the project's prose, for a reviewer who sees only the text.
//
//   node scripts/sample-language.ts <comments | messages | docs> [--seed 20260101] [--count 60]
//
// The default seed is today's date, so everyone who runs this on the same day gets the same sample.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { docPages, proseOf, sourceFiles, withoutCode } from './check-language.ts';

const root = path.join(import.meta.dirname, '..');

const kinds: Readonly<Record<string, () => readonly string[]>> = {
  comments: () =>
    sourceFiles()
      .flatMap((file) => proseOf(file, read(file)))
      .filter(({ text }) => text.startsWith('/'))
      .map(({ text }) => withoutMarks(text)),
  messages: () => sourceFiles().flatMap(messagesOf),
  docs: () => docPages().flatMap((file) => sentencesOf(read(file))),
};

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Returns the strings in a source file that look like sentences. "…" replaces inserted values. */
function messagesOf(file: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push(node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  const isSentence = (text: string): boolean =>
    (text.match(/[a-z]{2,}/gi) ?? []).length >= 4 && /[.?!:]$/.test(text) && !/[{}\\|;]/.test(text);
  return found.filter(isSentence).map((text) => text.replaceAll(/\s+/g, ' '));
}

/** Returns a comment without its markers, on one line. */
function withoutMarks(comment: string): string {
  return comment
    .replaceAll(/^\/[/*]+|\s*\*+\/$|\n\s*(?:\*|\/\/) ?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns the sentences and list items of a Markdown page, without code blocks, tables and headings. */
function sentencesOf(page: string): readonly string[] {
  const prose = withoutCode(page, 'blocks')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((part) => !/^\s*(?:#|\||<)/.test(part))
    .map((part) =>
      part
        .replaceAll(/\n\s*/g, ' ')
        .replace(/^\s*(?:[-*]|\d+\.) /, '')
        .trim(),
    );
  // The last lookahead requires an even number of backticks, so that no inline code is split.
  return prose
    .flatMap((part) => part.split(/(?<=[.:?!])\s+(?=[A-Z`*[])(?=(?:[^`]*`[^`]*`)*[^`]*$)/))
    .filter((sentence) => (sentence.match(/[a-z]{2,}/gi) ?? []).length >= 4);
}

/** Returns a generator of pseudorandom numbers from 0 to 1 that depend only on the seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: today }, count: { type: 'string', default: '60' } },
});
const collect = kinds[positionals[0] ?? ''];
if (collect === undefined) {
  process.stderr.write(`Name what to sample: ${Object.keys(kinds).join(', ')}.\n`);
  process.exitCode = 1;
} else {
  const texts = [...new Set(collect())];
  const random = createRandom(Number(values.seed));
  const sample = Array.from({ length: Math.min(Number(values.count), texts.length) }, () =>
    texts.splice(Math.floor(random() * texts.length), 1).join(''),
  );
  for (const [index, text] of sample.entries()) process.stdout.write(`${index + 1}. ${text}\n`);
}
