// Finds phrases in the project's comments, strings and documentation that are not plain English.
//
//   npm run language                       counts, and fails if a count differs from its budget
//   npm run language -- <file or folder>   lists the phrases there
//
// The budget may only decrease: lower it when a phrase has been removed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** The allowed number of unwanted phrases, by kind of text. */
const budget = { docs: 0, sources: 7 };

/** The unwanted phrases, each with a suggestion for its replacement. */
const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhoever\b/gi, 'name who it is'],
  [/\bnobody\b/gi, 'no one, or the passive'],
  [
    /(?<!\bthere )(?<!\bthere may )\b(?:is|are|was|were|be) no (?!longer|more\b|matter|way\b|such)\w+/gi,
    'is not a …',
  ],
  [/\bwhere there (?:is|are) (?:none|no|one|any)\b/gi, 'if there is …'],
  [/\b(?:is|are|was|were|been|be) told\b|\btold apart\b/gi, 'reported, distinguished'],
  [/\btells? (?:of|how|what|which|all|whether|apart)\b/gi, 'says, reports'],
  [/\bstands?\b(?! for\b)/gi, 'is, appears'],
  [/\blies\b/gi, 'is'],
  [/\bbehind\b/gi, 'after'],
  [/\b(?:comes?|came|coming) to\b/gi, 'results in, returns'],
  [/\b(?:goes|go|went|going|gone) on\b/gi, 'continues'],
  [/(?<!regardless )\bof which\b/gi, 'a sentence of its own'],
  [/\banew\b/gi, 'again'],
  [/\bso many\b/gi, 'a number'],
  [/\b(?:takes?|taken|took) up\b/gi, 'resumes'],
  [/\bmade (?:of|in code|out of)\b|\bmake what\b/gi, 'generated from, defined in code'],
  [/\b(?:is|are|was) to be\b/gi, 'must be, will be'],
  [/\bis heard\b|\bhears\b/gi, 'receives'],
  [/\blaid down\b|\blets? go of\b/gi, 'suspended, released'],
  [/\bcall(?:s|ed)? off\b/gi, 'cancel'],
  [/\b(?:no|has|have|without|gives?|given|gets?) leave\b/gi, 'permission, approval'],
  [/\/\*\* (?:What|Whoever|Where|How) (?!to\b)[^?]*?(?=\. |\*\/)/g, 'a noun'],
];

/** An unwanted phrase in a file. */
interface Phrase {
  readonly where: string;
  readonly text: string;
  readonly instead: string;
}

const root = path.join(import.meta.dirname, '..');

/** Returns the unwanted phrases in handwritten documentation. */
export function phrasesInDocs(): readonly Phrase[] {
  return docPages().flatMap(phrasesIn);
}

/** Returns the unwanted phrases in comments and strings of the source, excluding tests. */
export function phrasesInSources(): readonly Phrase[] {
  return sourceFiles().flatMap(phrasesIn);
}

/** Returns the paths of the handwritten documentation pages. */
export function docPages(): readonly string[] {
  const pages = ['README.md', 'docs'].flatMap(filesBelow);
  return pages.filter((file) => /\.md$/.test(file) && !/\/(?:decisions|reference)\//.test(file));
}

/** Returns the paths of the product's TypeScript files, excluding tests. */
export function sourceFiles(): readonly string[] {
  const isCode = (file: string): boolean =>
    file.endsWith('.ts') && !/\.(?:test|test-d|stress|fuzz)\.ts$/.test(file);
  return filesBelow('src').filter(isCode);
}

/** Returns one message for each count that differs from its budget. */
export function checkBudget(): readonly string[] {
  const counts = { docs: phrasesInDocs().length, sources: phrasesInSources().length };
  return (['docs', 'sources'] as const).flatMap((part) => {
    const [count, most] = [counts[part], budget[part]];
    if (count === most) return [];
    if (count < most)
      return [`${part}: ${count} phrases. Lower the budget of ${most} in scripts/check-language.ts.`];
    return [
      `${part}: ${count} phrases, more than the budget of ${most}. List them: npm run language -- <file>`,
    ];
  });
}

function filesBelow(folder: string): readonly string[] {
  if (statSync(path.join(root, folder)).isFile()) return [folder];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.name === 'fixtures') return [];
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

function phrasesIn(file: string): readonly Phrase[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const parts = file.endsWith('.ts') ? proseOf(file, text) : [{ start: 0, text: withoutCode(text) }];
  return parts.flatMap((part) =>
    phrases.flatMap(([pattern, instead]) =>
      [...part.text.matchAll(pattern)].map(({ 0: found, index }) => {
        const line = text.slice(0, part.start + index).split('\n').length;
        return { where: `${file}:${line}`, text: found.replaceAll(/\s+/g, ' '), instead };
      }),
    ),
  );
}

/** Replaces code with spaces, so that positions do not change. With `blocks`, inline code is kept. */
export function withoutCode(text: string, what: 'code' | 'blocks' = 'code'): string {
  const pattern = what === 'code' ? /```[\s\S]*?```|`[^`\n]*`/g : /```[\s\S]*?```/g;
  return text.replaceAll(pattern, (code) => code.replaceAll(/[^\n]/g, ' '));
}

/**
 * Returns the comments of a source file and its strings of several words. Consecutive `//` lines form one
 * comment.
 */
export function proseOf(
  file: string,
  text: string,
): readonly { readonly start: number; readonly text: string }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const starts = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const comments = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of comments) starts.set(pos, end);
    if (isText(node)) starts.set(node.getStart(), node.end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const parts: { start: number; end: number }[] = [];
  for (const [start, end] of [...starts].sort(([one], [other]) => one - other)) {
    const last = parts.at(-1);
    const isNextLine =
      last !== undefined &&
      text.startsWith('//', start) &&
      text.startsWith('//', last.start) &&
      /^\n[ ]*$/.test(text.slice(last.end, start));
    if (isNextLine) last.end = end;
    else parts.push({ start, end });
  }
  return parts.map(({ start, end }) => ({ start, text: text.slice(start, end) }));
}

function isText(node: ts.Node): boolean {
  const isPart =
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return isPart && /\s/.test(node.text);
}

if (import.meta.main) {
  const listed = process.argv.slice(2);
  const lines = listed.flatMap(filesBelow).flatMap(phrasesIn);
  for (const { where, text, instead } of lines) process.stdout.write(`${where}  ${text}  (${instead})\n`);
  const faults = listed.length === 0 ? checkBudget() : [];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
