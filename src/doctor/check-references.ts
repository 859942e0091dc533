import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { Bundle, Issue } from '../core/index.ts';

/**
 * Returns an issue for each missing file that a bundle's text refers to. Considers only unambiguous
 * references: relative Markdown links to files, and paths in inline code that are below the usual folders.
 */
export function checkReferences(bundle: Bundle): readonly Issue[] {
  const { dir, loose, body, head } = bundle;
  if (loose || dir === '') return [];
  const missing = new Map<string, number>();
  for (const [index, line] of proseLines(body).entries()) {
    for (const path of [...linksIn(line), ...codePathsIn(line)]) {
      const file = fileIn(path);
      if (file === undefined || missing.has(file) || existsSync(join(dir, file))) continue;
      missing.set(file, head.bodyLine + index);
    }
  }
  return [...missing].map(([file, line]) => ({
    level: 'warning',
    code: 'reference.missing',
    message: `The text refers to "${file}", but the skill's folder has no such file.`,
    line,
    hint: 'Add the file, or correct the path.',
    standard: true,
  }));
}

// Longer lines contain data, and searching them would take too long.
const longestLine = 5000;

/** Returns the lines of a text. Lines in code blocks and comments are replaced with empty lines. */
function proseLines(body: string): readonly string[] {
  let end: string | undefined;
  return body.split('\n').map((line) => {
    const text = line.trim();
    if (end !== undefined) {
      if (end === '-->' ? text.includes(end) : text.startsWith(end)) end = undefined;
      return '';
    }
    const [fence] = /^(?:`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) end = fence;
    else if (text.startsWith('<!--') && !text.includes('-->')) end = '-->';
    else return line.length > longestLine ? '' : line.replace(/<!--(?:(?!<!--).)*?-->/g, '');
    return '';
  });
}

/** Returns the targets of the inline links in a line. Ignores inline code, which cannot contain links. */
function linksIn(line: string): readonly string[] {
  if (!line.includes('](')) return [];
  const text = line.replace(/(`+)[^`]*\1/g, '');
  return [...text.matchAll(/\]\(\s{0,3}<?([^\s()<>]{1,300})>?(?:\s{1,3}["'(][^\n]{0,200}?["')])?\s{0,3}\)/g)]
    .map(([, target = '']) => decoded(target.replace(/[?#].*$/, '')))
    .filter((target) => hasFileEnding(target));
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target; // The name contains a percent sign that does not start an escape sequence.
  }
}

const ownFolder = /^(?:\.\/|(?:\$\{(?:SKILLED|CLAUDE|AGENTICK)_SKILL_DIR\}|\{baseDir\})\/)/;
const usualFolder = /^(?:scripts|references|assets|templates)\//;

/**
 * Returns the paths in a line's inline code that are below the usual folders. A path must be the first word
 * of the code, or an argument of an interpreter.
 */
function codePathsIn(line: string): readonly string[] {
  if (!line.includes('`') || hypothetical.test(line)) return [];
  return [...line.matchAll(/(?<!`)`([^`]{1,300})`(?!`)/g)].flatMap(([, code = '']) => {
    const [first = '', ...more] = code.trim().split(/\s+/);
    const paths = interpreters.has(first) ? more : [first];
    const own = paths.map((path) => path.replace(ownFolder, '')).find((path) => usualFolder.test(path));
    return own !== undefined && hasFileEnding(own) ? [own] : [];
  });
}

// Words that indicate that a line is about files in general, or about files that the skill creates.
const hypothetical =
  /\b(?:examples?|e\.g|for instance|such as|would|could|might|creat(?:e|es|ing)|generates?|writes?|saves?|outputs?)\b/i;

const interpreters: ReadonlySet<string> = new Set(
  'bash sh zsh node python python3 ruby perl deno bun uv npx tsx source'.split(' '),
);

const fileEnding =
  /\.(?:md|mdx|markdown|txt|rst|py|sh|bash|zsh|js|mjs|cjs|ts|tsx|jsx|rb|pl|ps1|go|rs|sql|json|jsonl|ya?ml|toml|ini|csv|tsv|xml|xsd|html?|css|png|jpe?g|gif|svg|webp|ico|pdf|docx|xlsx|pptx|ttf|woff2?|j2|tmpl|template|tex)$/i;

function hasFileEnding(path: string): boolean {
  return fileEnding.test(path);
}

const placeholder =
  /[*?{}<>$[\]|…%\\:]|\.\.\.|(?:^|\/)(?:path|xxx+|foo|bar|your|my|example|file(?:name)?|name|image|link|url)(?:[-_./]|$)|[-_](?:name|xxx+)\b/i;

/**
 * Returns the normalized path relative to the bundle, or undefined if the path does not clearly refer to a
 * file in the bundle.
 */
function fileIn(path: string): string | undefined {
  if (path.startsWith('/') || path.startsWith('~') || path.startsWith('#')) return undefined;
  if (placeholder.test(path) || /^[\w-]+\.(?:com|org|net|io|dev|ai|app|co)\//i.test(path)) return undefined;
  const file = normalize(path);
  return file.startsWith('..') ? undefined : file;
}
