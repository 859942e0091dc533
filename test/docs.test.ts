import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { commands } from '../src/cli/commands.ts';
import { overview } from '../src/cli/help.ts';
import { parseJsonWithComments } from '../src/config/json-with-comments.ts';
import { bundleOfText } from '../src/core/bundle.ts';
import { errorCodes } from '../src/core/error.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { defaultSkillLimits } from '../src/skills/limits.ts';
import { followPage, stepsOf } from './support/follow-page.ts';
import { placeOf, readPages, readText, root, type Block, type Page } from './support/pages.ts';

const pages = readPages();
const blocks = pages.flatMap((page) => page.blocks);
const program = makeProgram();

describe('code in the documentation', { concurrency: availableParallelism() + 1 }, () => {
  test('every ts block passes the type checker', () => {
    const wrong = blocks
      .filter((block) => block.language === 'ts')
      .flatMap((block) => {
        const source = program.getSourceFile(virtualName(block));
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
          (found) => `${placeOf(block)} ${ts.flattenDiagnosticMessageText(found.messageText, ' ')}`,
        );
      });
    assert.deepEqual(wrong, []);
  });

  for (const page of pages) {
    if (stepsOf(page).length > 0) test(`what ${page.file} runs gives what it says`, () => followPage(page));
  }

  test('every json block is JSON', () => {
    for (const block of blocks) {
      if (block.language === 'json')
        assert.doesNotThrow(() => void JSON.parse(block.content), placeOf(block));
      if (block.language === 'jsonc') assert.ok(parseJsonWithComments(block.content).ok, placeOf(block));
    }
  });

  test('every descriptor is read without a finding', () => {
    const read = blocks.filter((block) => block.language === 'markdown' && /^(?:---|# )/.test(block.content));
    const wrong = read.flatMap((block) => findingsOf(block).map((finding) => `${placeOf(block)} ${finding}`));
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
    const { codes, starts } = findingCodes();
    const isMade = (code: string): boolean =>
      codes.has(code) || starts.some((start) => code.startsWith(start));
    const missing = [...codes].filter((code) => !explained.includes(code)).sort();
    const stale = explained.filter((code) => !isMade(code));
    assert.ok(codes.size > 50);
    assert.deepEqual({ missing, stale }, { missing: [], stale: [] });
  });

  test('every error code, command, flag, limit and family is explained', () => {
    const limits = Object.entries({ ...defaultSkillLimits });
    mustHold('docs/command-line.md', [
      ...errorCodes.map((code) => `\`${code}\``),
      ...commands.map(({ name }) => `### \`skilled ${name}`),
      ...[...overview().matchAll(/--[a-z-]+/g)].map((found) => `\`${found[0]}`),
    ]);
    mustHold(
      'docs/discovery.md',
      limits.map(([name, value]) => `| \`${name}\` | ${value.toLocaleString('en')} |`),
    );
    mustHold(
      'docs/families.md',
      builtinFamilies.map(({ id }) => `(../src/families/${id}/README.md)`),
    );
  });

  test('every public name is mentioned', () => {
    const pagesOfNames = [
      'library',
      'families',
      'running',
      'sessions',
      'loops',
      'sop',
      'models',
      'testing',
    ].map((page) => readText(`docs/${page}.md`));
    const words = new Set(pagesOfNames.join('\n').match(/\w+/g));
    const names = ['src/index.ts', 'src/testing/index.ts'].flatMap(exportedNames);
    assert.ok(names.length > 20);
    assert.deepEqual(names.filter((name) => !words.has(name)).sort(), []);
  });

  test('the layers in ARCHITECTURE.md are those of the test', () => {
    const table = declarationOf(
      'test/architecture/rules/layers.ts',
      'mayImport',
      ts.isVariableDeclaration,
    ).initializer;
    const rows = [...readText('ARCHITECTURE.md').matchAll(/^\| `([a-z]+)` \| (.*) \|$/gm)];
    const printed = rows.map(([, folder, names = '']) => [
      folder,
      [...names.matchAll(/`([a-z]+)`/g)].map((name) => name[1]),
    ]);
    assert.deepEqual(Object.fromEntries(printed), evaluate(table?.getText() ?? ''));
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

  test('the README stays short', () => {
    assert.ok(readText('README.md').split('\n').length <= 150);
  });
});

describe('links in the documentation', () => {
  test('every relative link leads to a file, and to a heading of it', () => {
    const broken = pages.flatMap((page) =>
      page.links.filter((link) => !isSound(page, link)).map((link) => `${page.file}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  test('what ships links only to what ships', () => {
    const shipped =
      /^(?:docs\/|skills\/|src\/families\/[^/]+\/README\.md$|README\.md$|CHANGELOG\.md$|LICENSE$)/;
    const lost = pages
      .filter((page) => /^(?:docs|skills)\//.test(page.file))
      .flatMap((page) =>
        page.links.filter(isRelative).map((link) => ({ page: page.file, to: targetOf(page, link).file })),
      )
      .filter(({ to }) => !shipped.test(to));
    assert.deepEqual(lost, []);
  });
});

function isRelative(link: string): boolean {
  return !/^[a-z]+:/.test(link);
}

function targetOf(page: Page, link: string): { readonly file: string; readonly anchor: string } {
  const [path = '', anchor = ''] = decodeURI(link).split('#');
  const full = path === '' ? join(root, page.file) : resolve(root, dirname(page.file), path);
  return { file: relative(root, full), anchor };
}

function isSound(page: Page, link: string): boolean {
  if (!isRelative(link)) return true;
  const { file, anchor } = targetOf(page, link);
  if (!existsSync(join(root, file))) return false;
  return anchor === '' || pages.find((other) => other.file === file)?.anchors.has(anchor) === true;
}

/** One program over all blocks and the whole source; blocks live in files that exist only here. */
function makeProgram(): ts.Program {
  const config = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json', include: ['src/**/*.ts'] },
    ts.sys,
    root,
  );
  const options = { ...config.options, noUnusedLocals: false, moduleDetection: ts.ModuleDetectionKind.Force };
  const paths = {
    skilled: [join(root, 'src/index.ts')],
    'skilled/testing': [join(root, 'src/testing/index.ts')],
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
  const code = config.fileNames.filter((file) => !/\.(?:test|stress|fuzz)\.ts$/.test(file));
  return ts.createProgram([...code, ...texts.keys()], { ...options, paths }, host);
}

function virtualName({ file, line }: Block): string {
  return join(root, `${file}-${line}.mts`);
}

/** Short blocks speak of an agent without making one. */
function withAgent(content: string): string {
  return /\b(?:const|using) agent\b/.test(content)
    ? content
    : `${content}\ndeclare const agent: import('skilled').RecursiveSkilledAgent;\n`;
}

/** What the family of a descriptor finds in it: named behind the language, or the family whose reference it stands in. */
function findingsOf(block: Block): readonly string[] {
  const written = block.words[0] ?? '';
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

/** The codes of all findings in the source; of a code put together from parts, the known start. */
function findingCodes(): { readonly codes: ReadonlySet<string>; readonly starts: readonly string[] } {
  const checker = program.getTypeChecker();
  const codes = new Set<string>();
  const starts = new Set<string>();
  const take = (type: ts.Type): void => {
    if (type.isUnion()) type.types.forEach(take);
    else if (type.isStringLiteral()) codes.add(type.value);
    else if (type.flags & ts.TypeFlags.TemplateLiteral)
      starts.add((type as ts.TemplateLiteralType).texts[0] ?? '');
  };
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && isFindingCode(node, checker)) take(checker.getTypeAtLocation(node));
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) {
    const path = relative(root, file.fileName);
    if (path.startsWith('src/') && !/\/fixtures\/|^src\/testing\//.test(path)) visit(file);
  }
  return { codes, starts: [...starts].filter((start) => start.endsWith('.')) };
}

/** Whether a text is taken as the code of a finding: by its type, or because it stands beside a level. */
function isFindingCode(node: ts.Expression, checker: ts.TypeChecker): boolean {
  if ((checker.getContextualType(node)?.flags ?? 0) & ts.TypeFlags.TemplateLiteral) return true;
  const { parent } = node;
  if (!ts.isPropertyAssignment(parent) || parent.name.getText() !== 'code') return false;
  return parent.parent.properties.some((property) => property.name?.getText() === 'level');
}

function exportedNames(file: string): readonly string[] {
  const source = program.getSourceFile(join(root, file));
  const symbol = source && program.getTypeChecker().getSymbolAtLocation(source);
  return symbol === undefined
    ? []
    : program
        .getTypeChecker()
        .getExportsOfModule(symbol)
        .map(({ name }) => name);
}

function declarationOf<Node extends ts.Node & { readonly name: ts.Node }>(
  file: string,
  name: string,
  is: (node: ts.Node) => node is Node,
): Node {
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
  let found: Node | undefined;
  const visit = (node: ts.Node): void => {
    if (is(node) && node.name.getText(source) === name) found = node;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  assert.ok(found, `${file} has no ${name}`);
  return found;
}

/** The value of a literal of our own source. */
function evaluate(text: string): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- a table of words in this repository
  return (new Function(`return (${text});`) as () => unknown)();
}

function mustHold(file: string, texts: readonly string[]): void {
  const text = readText(file);
  const missing = texts.filter((part) => !text.includes(part));
  assert.deepEqual(missing, [], file);
  assert.ok(texts.length > 0);
}
