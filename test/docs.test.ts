import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { parseJsonWithComments } from '../src/core/json/jsonc.ts';
import { bundleOfText } from '../src/core/descriptor/bundle.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { installedPackage } from './support/installed.ts';
import { findIssueCodes } from './support/issue-codes.ts';
import { positionOf, readPage, readPages, readText, root, type Block, type Page } from './support/pages.ts';

const pages = readPages();
const blocks = pages.flatMap((page) => page.blocks);
const handwritten = globSync('docs/**/*.md', {
  cwd: root,
  exclude: ['docs/decisions/**', 'docs/reference/**'],
});

/** The first tasks of new users, with the page and its heading. */
const newcomerTasks: readonly (readonly [file: string, heading: string])[] = [
  ['docs/guides/write-a-skill.md', 'create-the-skill'],
  ['docs/models.md', 'connect-a-model'],
  ['docs/guides/orchestrate.md', 'write-a-script'],
  ['docs/guides/run-safely.md', 'approve-a-call'],
  ['docs/command-line.md', 'resume-a-run'],
  ['docs/guides/embed.md', 'get-a-typed-result'],
  ['docs/guides/connect-mcp.md', 'use-its-tools-in-a-skill'],
  ['docs/guides/connect-mcp.md', 'serve-your-skills'],
  ['docs/guides/test-your-skills.md', 'write-a-test'],
];

describe('code in the documentation', () => {
  test('every ts block passes the type checker', () => {
    const program = makeProgram();
    const wrong = blocks
      .filter((block) => block.language === 'ts')
      .flatMap((block) => {
        const source = program.getSourceFile(virtualName(block));
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
          (found) => `${positionOf(block)} ${ts.flattenDiagnosticMessageText(found.messageText, ' ')}`,
        );
      });
    assert.deepEqual(wrong, []);
  });

  test('every json block is JSON', () => {
    for (const block of blocks) {
      if (block.language === 'json')
        assert.doesNotThrow(() => void JSON.parse(block.content), positionOf(block));
      if (block.language === 'jsonc') assert.ok(parseJsonWithComments(block.content).ok, positionOf(block));
    }
  });

  test('every descriptor is read without a finding', () => {
    const read = blocks.filter((block) => block.language === 'markdown' && /^(?:---|# )/.test(block.content));
    const wrong = read.flatMap((block) =>
      diagnosticsIn(block).map((diagnostic) => `${positionOf(block)} ${diagnostic}`),
    );
    assert.deepEqual(wrong, []);
    assert.ok(read.length > builtinFamilies.length);
  });
});

describe('the documentation is complete', () => {
  test('every finding code of the source is explained, and no other', () => {
    const rows = readText('docs/validation.md').matchAll(/^\| (`.*?`) \|/gm);
    const explained = [...rows].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z]+\.[a-z-]+)`/g)].map((found) => found[1] ?? ''),
    );
    const { codes, starts } = findIssueCodes();
    const isKnown = (code: string): boolean =>
      codes.has(code) || [...starts].some((start) => code.startsWith(start));
    const missing = [...codes].filter((code) => !explained.includes(code)).sort();
    const stale = explained.filter((code) => !isKnown(code));
    assert.ok(codes.size > 50);
    assert.deepEqual({ missing, stale }, { missing: [], stale: [] });
  });

  test('every limit of folders and every family is explained', () => {
    const limits = Object.entries({ ...defaultSkillLimits });
    mustHold(
      'docs/discovery.md',
      limits.map(([name, value]) => `| \`${name}\` | ${value.toLocaleString('en')} |`),
    );
    mustHold(
      'docs/families.md',
      builtinFamilies.map(({ id }) => `(../src/families/${id}/README.md)`),
    );
  });

  test('every public name is in the API reference, or among the renamed ones', () => {
    const wordsOf = (page: string): ReadonlySet<string> => new Set(readText(page).match(/\w+/g));
    const missing = (names: readonly string[], page: string): readonly string[] =>
      names.filter((name) => !wordsOf(page).has(name));
    const names = ['src/index.ts', 'src/testing/index.ts'].flatMap(exportedNames);
    assert.ok(names.length > 20);
    assert.deepEqual(missing(names, 'docs/reference/api.md'), []);
    assert.deepEqual(missing(deprecatedNames('src/earlier-names.ts'), 'docs/renamed.md'), []);
  });

  test('every folder of src has a page, and ARCHITECTURE.md is short', () => {
    const folders = globSync('src/*/', { cwd: root });
    const missing = folders.filter((folder) => !existsSync(join(root, folder, 'README.md')));
    assert.deepEqual(missing, []);
    const page = readPage('ARCHITECTURE.md');
    assert.ok(page.links.length <= 25, `${page.links.length} links`);
    assert.ok(readText('ARCHITECTURE.md').split(/\s+/).length <= 1500);
  });

  test('every file that these pages name exists', () => {
    const named = ['ARCHITECTURE.md', ...globSync('src/*/README.md', { cwd: root })].flatMap((page) =>
      [...readText(page).matchAll(/`([\w./-]+\.(?:ts|js|md))`/g)].map(([, file = '']) => ({ page, file })),
    );
    assert.ok(named.length > 10);
    const isThere = ({ page, file }: { page: string; file: string }): boolean =>
      [dirname(page), '.', 'src'].some((folder) => existsSync(join(root, folder, file))) ||
      (page.startsWith('src/') && globSync(`**/${file}`, { cwd: join(root, dirname(page)) }).length > 0) ||
      isDescriptor(file);
    assert.deepEqual(
      named.filter((name) => !isThere(name)),
      [],
    );
  });

  test('every decision is in the index', () => {
    const files = globSync('docs/decisions/0*.md', { cwd: root })
      .map((file) => basename(file))
      .sort();
    const listed = [...readText('docs/decisions/README.md').matchAll(/\((0[^)]*\.md)\)/g)].map(
      (match) => match[1],
    );
    assert.deepEqual(listed, files);
    for (const file of files)
      assert.match(
        readText(`docs/decisions/${file}`),
        new RegExp(`^# ${file.slice(0, 4)}: .+\n\n\\d{4}-\\d\\d-\\d\\d\n`),
      );
  });

  // Large features that were added since the limit was set: library, tables, assistant, terminal, ranking,
  // speed, installation.
  const laterFeatures = 7;

  test('the README and the hand-written pages stay short', () => {
    assert.ok(readText('README.md').split('\n').length <= 120);
    const counts = ['README.md', ...handwritten].map((file) => readText(file).trim().split(/\s+/).length);
    const words = counts.reduce((sum, count) => sum + count, 0);
    assert.ok(words <= 40_000 + laterFeatures * 2_500, `${words} words`);
  });

  test('no two pages have the same name', () => {
    const names = globSync('docs/**/*.md', { cwd: root })
      .map((file) => basename(file))
      .sort();
    const twice = names.filter((name, index) => name === names[index - 1] && name !== 'README.md');
    assert.deepEqual(twice, []);
  });

  test('the README leads a newcomer to each first task in at most two clicks', () => {
    const near = new Set(['README.md']);
    for (const file of [...near]) for (const to of linkedFrom(file)) near.add(to);
    for (const file of [...near]) for (const to of linkedFrom(file)) near.add(to);
    const missing = newcomerTasks.filter(([file, heading]) => !near.has(file) || !hasAnchor(file, heading));
    assert.deepEqual(missing, []);
  });
});

describe('links in the documentation', () => {
  test('every relative link leads to a file, and to a heading of it', () => {
    const broken = [...pages, readPage('llms.txt')].flatMap((page) =>
      page.links.filter((link) => !isSound(page, link)).map((link) => `${page.file}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  test('what ships links only to what ships', () => {
    const shipped =
      /^(?:docs\/|skills\/|src\/families\/[^/]+\/README\.md$|README\.md$|CHANGELOG\.md$|LICENSE$|llms\.txt$)/;
    const lost = pages
      .filter((page) => /^(?:docs|skills)\//.test(page.file))
      .flatMap((page) =>
        page.links.filter(isRelative).map((link) => ({ page: page.file, to: targetOf(page, link).file })),
      )
      .filter(({ to }) => !shipped.test(to));
    assert.deepEqual(lost, []);
  });
});

// Names of files in users' folders.
function isDescriptor(file: string): boolean {
  return /^(?:\w*skill|AGENTS|CLAUDE)\.md$|^(?:specs|src)\//i.test(file);
}

function isRelative(link: string): boolean {
  return !/^[a-z]+:/.test(link);
}

function targetOf(page: Page, link: string): { readonly file: string; readonly anchor: string } {
  const [path = '', anchor = ''] = decodeURI(link).split('#');
  const full = path === '' ? join(root, page.file) : resolve(root, dirname(page.file), path);
  return { file: relative(root, full), anchor };
}

/** Returns the pages that a page links to. */
function linkedFrom(file: string): readonly string[] {
  const page = pages.find((one) => one.file === file);
  return page?.links.filter(isRelative).map((link) => targetOf(page, link).file) ?? [];
}

function hasAnchor(file: string, heading: string): boolean {
  return pages.some((page) => page.file === file && page.anchors.has(heading));
}

function isSound(page: Page, link: string): boolean {
  if (!isRelative(link)) return true;
  const { file, anchor } = targetOf(page, link);
  if (!existsSync(join(root, file))) return false;
  return anchor === '' || pages.find((other) => other.file === file)?.anchors.has(anchor) === true;
}

/** Creates one program with all blocks, which use the package's declarations. The blocks are virtual files. */
function makeProgram(): ts.Program {
  const config = ts.parseJsonConfigFileContent({ extends: './tsconfig.json', files: [] }, ts.sys, root);
  const options = {
    ...config.options,
    noUnusedLocals: false,
    moduleDetection: ts.ModuleDetectionKind.Force,
    skipLibCheck: true,
  };
  const paths = {
    skilled: [join(installedPackage, 'dist', 'index.d.ts')],
    'skilled/testing': [join(installedPackage, 'dist', 'testing.d.ts')],
    'skilled/server': [join(installedPackage, 'dist', 'server.d.ts')],
  };
  const texts = new Map(
    blocks
      .filter((block) => block.language === 'ts')
      .map((block) => [virtualName(block), withAgent(block.content)]),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  return ts.createProgram([...texts.keys()], { ...options, paths }, host);
}

function virtualName({ file, line }: Block): string {
  return join(root, `${file}-${line}.mts`);
}

/** Adds an agent to short blocks that use one without creating it. */
function withAgent(content: string): string {
  return /\b(?:const|using) agent\b/.test(content)
    ? content
    : `${content}\ndeclare const agent: import('skilled').RecursiveSkilledAgent;\n`;
}

/**
 * Returns the issues of a descriptor block. The family is named after the language, or is the one whose
 * reference contains the block.
 */
function diagnosticsIn(block: Block): readonly string[] {
  const written = block.attributes[0] ?? '';
  const folder = /^src\/families\/([^/]+)\//.exec(block.file)?.[1];
  const family = builtinFamilies.find(({ id, descriptor }) =>
    written === ''
      ? id === (folder ?? 'agent-skill')
      : descriptor !== undefined && 'file' in descriptor && descriptor.file === written,
  );
  if (family === undefined) return [`no family reads ${written}`];
  const { issues, definition } = family.parse(
    bundleOfText(block.content, { dir: '/x', file: `/x/${written}`, stem: 'x', loose: false }),
  );
  return [
    ...issues.map((issue) => issue.message),
    ...(definition === undefined ? ['it cannot be used'] : []),
  ];
}

/** Returns the names that an entry point lists, without those of `earlier-names.ts`, its only `export *`. */
function exportedNames(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isExportDeclaration).flatMap(({ exportClause }) => {
    if (exportClause === undefined) return [];
    assert.ok(ts.isNamedExports(exportClause), `${file} lists every name`);
    const current = exportClause.elements.filter((one) => ts.getJSDocDeprecatedTag(one) === undefined);
    return current.map(({ name }) => name.text).filter((name) => name !== 'liveThrough');
  });
}

/** Returns the names that a file lists as deprecated. */
function deprecatedNames(file: string): readonly string[] {
  return [...readText(file).matchAll(/(?: as (?=\w+,$)|^export const )(\w+)/gm)].map(([, name = '']) => name);
}

function mustHold(file: string, texts: readonly string[]): void {
  const text = readText(file);
  const missing = texts.filter((part) => !text.includes(part));
  assert.deepEqual(missing, [], file);
  assert.ok(texts.length > 0);
}
