import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

interface Size {
  readonly packed: number;
  readonly unpacked: number;
}

// A little more than it is; whoever makes it larger says so here.
const most: Size = { packed: 1_550_000, unpacked: 5_100_000 };

const root = path.join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;

describe('the packed package', () => {
  const temporary = mkdtempSync(path.join(tmpdir(), 'skilled-package-'));
  const user = path.join(temporary, 'user');
  const installed = path.join(user, 'node_modules', 'skilled');
  const command = path.join(user, 'node_modules', '.bin', 'skilled');
  let packed: readonly string[] = [];
  let size: Size = { packed: 0, unpacked: 0 };

  before(() => {
    const project = copyProject(path.join(temporary, 'project'));
    run(project, process.execPath, ['scripts/build.js']);
    const tarball = pack(project, temporary);
    packed = tarball.files;
    size = tarball.size;
    install(tarball.file, user);
  });
  after(() => rmSync(temporary, { recursive: true, force: true }));

  test('it holds what it should and nothing else', () => {
    const expected = new Set([
      ...manifest.files.map((file) => file.split('/')[0]),
      'package.json',
      'LICENSE',
    ]);
    const strangers = packed.filter((file) => !expected.has(file.split('/')[0] ?? ''));
    const tests = packed.filter((file) => /\.(?:test|test-d|stress|fuzz)\.|(?:^|\/)fixtures\//.test(file));
    assert.deepEqual({ strangers, tests }, { strangers: [], tests: [] });
    const sources = packed.filter((file) => file.startsWith('src/') && !file.endsWith('/README.md'));
    assert.deepEqual(sources, []);
    for (const file of ['LICENSE', 'dist/cli/main.js', 'src/families/table/README.md'])
      assert.ok(packed.includes(file), file);
  });

  test('it stays small', (t) => {
    t.diagnostic(`${kilobytes(size.packed)} packed, ${kilobytes(size.unpacked)} unpacked`);
    for (const key of ['packed', 'unpacked'] as const)
      assert.ok(size[key] <= most[key], `${key}: ${kilobytes(size[key])}, at most ${kilobytes(most[key])}`);
  });

  test('every entry of the manifest exists, with its types', () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    const missing = [...targets, ...Object.values(manifest.bin)].filter(
      (target) => !existsSync(path.join(installed, target)),
    );
    assert.deepEqual(missing, []);
  });

  test('the command starts in an empty folder', () => {
    const skilled = (...args: readonly string[]): string =>
      run(user, 'npx', ['--offline', 'skilled', ...args]);
    assert.equal(skilled('--version').trim(), manifest.version);
    assert.match(skilled('mcp', '--help'), /Usage: skilled mcp/);
  });

  test('the recorded run is shown, and nothing is written', () => {
    const folder = path.join(temporary, 'empty');
    mkdirSync(folder);
    assert.match(run(folder, command, ['demo', '--quiet']), /job 1043/);
    const { run: tree } = JSON.parse(run(folder, command, ['demo', '--json'])) as { run: { status: string } };
    assert.equal(tree.status, 'done');
    assert.deepEqual(readdirSync(folder), []);
  });

  test('a skill is checked', () => {
    const folder = path.join(user, 'skills', 'greet');
    mkdirSync(folder, { recursive: true });
    const head = '---\nname: greet\ndescription: Greets whoever asks for it.\n---\n';
    writeFileSync(path.join(folder, 'SKILL.md'), `${head}\nSay hello.\n`);
    const checked = JSON.parse(run(user, command, ['validate', folder, '--strict', '--json'])) as {
      ok: boolean;
    };
    assert.equal(checked.ok, true);
  });

  test('an older Node is told so in one line', () => {
    const main = path.join(installed, manifest.bin['skilled'] ?? '');
    assert.doesNotMatch(
      readFileSync(main, 'utf8'),
      /^import\b(?! *\()/m,
      'what is imported may need the newer one',
    );
    for (const { file, version } of olderNodes()) {
      const { status, stdout, stderr } = spawnSync(file, [main, 'list'], { cwd: user, encoding: 'utf8' });
      const said = `skilled needs Node 24 or later; this is ${version}. Install it: https://nodejs.org/en/download\n`;
      assert.deepEqual({ status, stdout, stderr }, { status: 1, stdout: '', stderr: said });
    }
  });

  test('the command finds the skills inside the package', () => {
    const list = JSON.parse(run(user, command, ['list', '--json'])) as { skills: { source: string }[] };
    assert.ok(list.skills.some(({ source }) => source === 'bundled'));
  });

  for (const name of libraryNames()) {
    test(`"${name}" can be imported`, () => {
      const script = `console.log(Object.keys(await import('${name}')).length)`;
      assert.ok(Number(run(user, process.execPath, ['--input-type=module', '--eval', script])) > 0);
    });
  }

  test('the embedder is absent without its optional packages, and works with them', () => {
    const embed = (): string => run(user, process.execPath, ['--input-type=module', '--eval', embedding]);
    assert.equal(embed().trim(), 'absent');
    link(Object.keys(manifest.optionalDependencies), path.join(user, 'node_modules'));
    assert.equal(embed().trim(), '384');
  });

  test('the thread of a search starts', () => {
    const found = run(user, process.execPath, ['--input-type=module', '--eval', searching]);
    assert.deepEqual(JSON.parse(found), [{ path: 'package.json', count: 1 }]);
  });

  test('its types hold for the strictest user', () => {
    const imports = libraryNames().map((name, index) => `import * as library${index} from '${name}';\n`);
    const uses = imports.map((_, index) => `export const kept${index}: object = library${index};\n`);
    const wrong = '// @ts-expect-error the names are known\nvoid library0.noSuchName;\n';
    writeFileSync(path.join(user, 'use.ts'), [...imports, ...uses, wrong, using].join(''));
    run(user, process.execPath, [compiler, ...strictest, 'use.ts']);
  });
});

// From inside the package, since the embedder is not public.
const embedding = `
  import { openMiniLm } from './node_modules/skilled/dist/models/minilm.js';
  const [vector] = (await openMiniLm()?.embed(['Some text.'], { urgent: true })) ?? [];
  console.log(vector?.length ?? 'absent');
`;

// The file that the thread runs must be in the package under the name by which it is started.
const searching = `
  import { realpathSync } from 'node:fs';
  import { Worker } from 'node:worker_threads';
  const root = realpathSync('.');
  const query = { pattern: 'module', root, start: root + '/package.json', mode: 'count', ignoreCase: false };
  const more = { multiline: false, before: 0, after: 0, results: 9, characters: 999 };
  const worker = new Worker('./node_modules/skilled/dist/files/grep-worker.js', {
    workerData: { ...query, ...more },
    execArgv: [],
  });
  worker.on('message', ({ found }) => console.log(JSON.stringify(found.files)));
`;

const using = `
  await using agent = new library0.RecursiveSkilledAgent({ startDir: '.' });
  const { status, text } = await agent.run({ skill: 'read', input: { file_path: 'package.json' } }).result;
  export const said: readonly [library0.RunStatus, string] = [status, text];
  // @ts-expect-error an input is JSON
  void agent.run({ skill: 'read', input: () => undefined });
`;

// Without skipLibCheck: our own declarations are checked as well.
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const strictest = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  ...['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext.disposable', '--ignoreConfig'],
  ...['--types', 'node', '--typeRoots', path.join(root, 'node_modules', '@types')],
];

function libraryNames(): string[] {
  return Object.keys(manifest.exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => path.posix.join('skilled', entry));
}

// A copy, so that the test neither needs nor changes the project's own dist.
function copyProject(target: string): string {
  const left = ['node_modules', '.git', 'dist', 'coverage'];
  cpSync(root, target, { recursive: true, filter: (source) => !left.includes(path.basename(source)) });
  symlinkSync(path.join(root, 'node_modules'), path.join(target, 'node_modules'));
  return target;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

function pack(project: string, target: string): { file: string; files: readonly string[]; size: Size } {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', target];
  const [result] = JSON.parse(run(project, 'npm', args)) as Packed[];
  assert.ok(result);
  const { filename, files, size: packed, unpackedSize: unpacked } = result;
  return {
    file: path.join(target, filename),
    files: files.map((file) => file.path),
    size: { packed, unpacked },
  };
}

// Those of the machine itself; there may be none.
function olderNodes(): { file: string; version: string }[] {
  return [...new Set([...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin'])]
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => existsSync(file))
    .map((file) => ({ file, version: run(root, file, ['-p', 'process.versions.node']).trim() }))
    .filter(({ version }) => Number(version.split('.')[0]) < 24);
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000)} kB`;
}

// What npm install does, without a network: unpack, link the dependencies that are not optional, and the command.
function install(tarball: string, user: string): void {
  const modules = path.join(user, 'node_modules');
  const target = path.join(modules, 'skilled');
  mkdirSync(target, { recursive: true });
  run(user, 'tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  link(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), modules);
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync(path.join(target, manifest.bin['skilled'] ?? ''), path.join(modules, '.bin', 'skilled'));
  writeFileSync(path.join(user, 'package.json'), '{ "type": "module" }\n');
}

function link(names: readonly string[], modules: string): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
}

// Runs on the Node of this project and with a home of its own, whatever the machine has.
function run(cwd: string, command: string, args: readonly string[]): string {
  const folders = [path.dirname(process.execPath), process.env['PATH']];
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      HOME: cwd,
      PATH: folders.join(path.delimiter),
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
