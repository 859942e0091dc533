import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { describe, test } from 'node:test';
import { build, type Metafile } from 'esbuild';
import ts from 'typescript';
import { installedPackage } from '../support/installed.ts';
import { root } from '../support/pages.ts';

const dist = path.join(installedPackage, 'dist');

// Packages that a worker may load. They are optional, and are resolved next to skilled.
const allowed: Readonly<Record<string, RegExp>> = { 'models/minilm-worker': /^@lat\.md\// };

describe('a file that is started by its path', () => {
  const entries = startedEntries();

  test('the sources name each as it is', () => {
    assert.ok(entries.length > 5, 'the search finds what the sources start');
    assert.deepEqual(
      entries.filter(({ name }) => name === undefined).map(({ at }) => at),
      [],
      'entryFile() and entryFiles() are given a string, so that this test sees which file is meant',
    );
  });

  for (const name of new Set(entries.map((entry) => entry.name ?? ''))) {
    test(`${name} is in the package, and imports nothing but modules of Node itself`, async () => {
      const file = path.join(dist, `${name}.js`);
      assert.ok(existsSync(file), 'scripts/build.js does not list it');
      const { inputs, outputs } = await bundle({ entryPoints: [file] });
      assert.deepEqual(Object.keys(inputs), [path.relative(root, file)], 'it shares code with other files');
      const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path: id }) => id));
      const required = [...readFileSync(file, 'utf8').matchAll(/\brequire\(["']([^"']+)["']\)/g)];
      const ids = [...imported, ...required.map(([, id = '']) => id)];
      const packages = ids.filter((id) => !isBuiltin(id) && allowed[name]?.test(id) !== true);
      assert.deepEqual(packages, []);
    });
  }
});

test('THIRD_PARTY_NOTICES names every package whose code is in dist', async () => {
  const notices = readFileSync(path.join(dist, 'THIRD_PARTY_NOTICES'), 'utf8');
  const named = new Set(
    [...notices.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) \d+\.\d+\.\S+ \(/gm)].map(([, name]) => name),
  );
  // The build writes the name of each source above its code, except in dist/vendor, which is minified.
  const files = globSync('**/*.js', { cwd: dist });
  const commented = files.flatMap((file) => {
    const text = readFileSync(path.join(dist, file), 'utf8');
    return [...text.matchAll(/^ *\/\/ (\S*node_modules\/\S+)$/gm)].map(([, source = '']) => source);
  });
  const vendored = await Promise.all(vendoredPackages().map(sourcesOf));
  const packages = new Set([...commented, ...vendored.flat()].map(packageOf));
  assert.ok(packages.size > 20 && packages.has('markdown-it') && packages.has('kysely'));
  assert.deepEqual(
    [...packages].filter((name) => !named.has(name)),
    [],
  );
});

interface Started {
  /** Undefined if the source computes it. */
  readonly name: string | undefined;
  readonly at: string;
}

/** Returns the arguments of `entryFile` and `entryFiles` in the sources. */
function startedEntries(): readonly Started[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) =>
      !/\.(?:test|stress|fuzz)\.ts$/.test(file) && file !== path.join('src', 'core', 'package-files.ts'),
  );
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    if (!text.includes('entryFile')) return [];
    const found: Started[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && /^entryFiles?$/.test(node.expression.getText())) {
        const [given] = node.arguments;
        const name = given !== undefined && ts.isStringLiteral(given) ? given.text : undefined;
        found.push({ name, at: `${file}: ${node.getText()}` });
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    return found;
  });
}

/** Returns the packages that the sources load from dist/vendor. */
function vendoredPackages(): readonly string[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$/.test(file));
  const texts = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/loadPackage\('([^']+)'\)/g)].map(([, name = '']) => name),
  );
  const unique = [...new Set(names)];
  const expected = unique.map((name) => `${name.replaceAll('/', '-')}.cjs`).sort();
  assert.deepEqual(globSync('*.cjs', { cwd: path.join(dist, 'vendor') }).sort(), expected);
  return unique;
}

async function sourcesOf(name: string): Promise<readonly string[]> {
  const contents = `module.exports = require('${name}');`;
  const { inputs } = await bundle({ stdin: { contents, resolveDir: root } }, 'bundle');
  return Object.keys(inputs).filter((input) => input.includes('node_modules/'));
}

async function bundle(
  entry: { entryPoints: string[] } | { stdin: { contents: string; resolveDir: string } },
  packages: 'bundle' | 'external' = 'external',
): Promise<Metafile> {
  const common = { absWorkingDir: root, bundle: true, write: false, metafile: true } as const;
  const { metafile } = await build({
    ...common,
    ...entry,
    packages,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  return metafile;
}

/** Returns the package of a file: "@b/c" for "a/node_modules/@b/c/x.js". */
function packageOf(source: string): string {
  return /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? source;
}
