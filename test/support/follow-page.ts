import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCache } from './compile-cache.ts';
import { outputOf, placeOf, root, type Block, type Page } from './pages.ts';
import { tree, type Tree } from './tree.ts';

/** Does what a page says, block by block, as at one terminal; each block must end and print as the page has it. */
export async function followPage(page: Page): Promise<void> {
  using stage = tree();
  const home = stage.at('ann');
  mkdirSync(home);
  writeCommand(stage);
  const steps = stepsOf(page);
  let place = steps[0]?.words.includes('empty') === true ? home : openWorkshop(home);
  for (const block of steps) {
    if (block.words.includes('packages')) {
      linkPackages(place);
      continue;
    }
    const said = outputOf(page, block);
    const isScreen = said?.words.includes('screen') === true;
    const { status, stdout, stderr, ...ended } = await runBlock(block, isScreen, place, stage);
    place = ended.place;
    const stated = Number(block.words.find((word) => word.startsWith('exit='))?.slice(5) ?? 0);
    assert.equal(status, stated, `${placeOf(block)} exit code\n${stdout}\n${stderr}`);
    if (said === undefined) continue;
    const printed = plain(stdout, home);
    if (isScreen) assert.equal(steady(printed), steady(said.content), placeOf(said));
    else assert.equal(printed, said.content, placeOf(said));
  }
}

/** The blocks of a page that are to be done, in their order; those with `packages` install what the project has. */
export function stepsOf(page: Page): readonly Block[] {
  return page.blocks.filter(
    ({ language, words }) => language !== 'sop' && (words.includes('run') || words.includes('packages')),
  );
}

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The folder in which the next block runs: `cd` holds, as in a terminal. */
  readonly place: string;
}

async function runBlock(block: Block, isScreen: boolean, cwd: string, stage: Tree): Promise<Ended> {
  const paths = [stage.at('bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = {
    HOME: stage.at('ann'),
    PATH: paths,
    TMPDIR: process.env['TMPDIR'] ?? '/tmp',
    ...compileCache(),
  };
  if (block.language !== 'sh') {
    const file = stage.write(`block-${block.line}.mts`, block.content);
    const args = ['--import', hooksFile(stage), file];
    return { ...(await run(process.execPath, args, { cwd, env })), place: cwd };
  }
  const note = stage.write('place', cwd);
  const script = `trap 'pwd > "${note}"' EXIT\n${isScreen ? 'exec 2>&1\n' : ''}${block.content}`;
  const ended = await run('sh', ['-eu', '-c', script], { cwd, env });
  return { ...ended, place: readFileSync(note, 'utf8').trim() };
}

function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Omit<Ended, 'place'>> {
  return new Promise((done) => {
    const child = execFile(command, args, { ...options, timeout: 300_000 }, (_error, stdout, stderr) => {
      done({ status: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

function writeCommand(stage: Tree): void {
  const shim = stage.write(
    'bin/skilled',
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/cli/main.ts')}" "$@"\n`,
  );
  chmodSync(shim, 0o755);
}

/** A copy of the example workshop; the repository above it ends the search for skills. */
function openWorkshop(home: string): string {
  const place = join(home, 'workshop');
  const isKept = (path: string): boolean => !/\.db|\.generation$/.test(path); // what runs of the workshop left behind
  cpSync(join(root, 'examples', 'workshop'), place, { recursive: true, filter: isKept });
  mkdirSync(join(place, '.git'));
  linkPackages(place);
  return place;
}

/** In place of `npm install`, which would need a network: a folder of its own, with each package in it. */
function linkPackages(place: string): void {
  const packages = join(root, 'node_modules');
  mkdirSync(join(place, 'node_modules'));
  for (const name of readdirSync(packages))
    symlinkSync(join(packages, name), join(place, 'node_modules', name));
}

/** A module that lets a block import the sources under the names of the package. */
function hooksFile(stage: Tree): string {
  const modules = {
    skilled: pathToFileURL(join(root, 'src/index.ts')).href,
    'skilled/testing': pathToFileURL(join(root, 'src/testing/index.ts')).href,
    zod: import.meta.resolve('zod'),
  };
  const code = `import { registerHooks } from 'node:module';
const modules = ${JSON.stringify(modules)};
const isImport = ({ conditions }) => conditions.includes('import');
registerHooks({ resolve: (name, context, next) => next(isImport(context) ? (modules[name] ?? name) : name, context) });
`;
  return pathToFileURL(stage.write('hooks.mjs', code)).href;
}

/** Output without what differs from machine to machine. */
function plain(text: string, home: string): string {
  return text.replaceAll(home, '/home/ann').replace(/sha256:[0-9a-f]{64}/g, 'sha256:…');
}

/**
 * What a screen shows, without what differs from run to run: times, ids of runs, the room that columns take,
 * and tokens and cuts, which depend on how long the paths of this machine are.
 */
function steady(text: string): string {
  return text
    .replace(/(?<=\{")[^\n]*?…(?= |$)/gm, '…')
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, '… s')
    .replace(/^ +(?=… s)/gm, '')
    .replace(/\br_[0-9a-f]{8,16}\b/g, 'r_…')
    .replace(/\bas on \d{4}-\d\d-\d\d\b/g, 'as on …')
    .replace(/\b[\d,]+ tok\b/g, '… tok')
    .replace(/(?<=\S) {2,}/g, '  ');
}
