import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { compileCache } from './compile-cache.ts';
import { installedMain, installedProject } from './installed.ts';
import { halfOf } from './half-of.ts';
import { linkPackages } from './link-packages.ts';
import { outputOf, positionOf, readPages, root, type Block, type Page } from './pages.ts';
import { tree, type Tree } from './tree.ts';

/** Registers one test for each selected page that contains runnable blocks. */
export function testPages(title: string, isIncluded: (file: string) => boolean): void {
  const pages = readPages().filter((page) => isIncluded(page.file) && stepsOf(page).length > 0);
  assert.ok(pages.length > 0);
  describe(title, { concurrency: availableParallelism() }, () => {
    for (const page of halfOf(pages))
      test(`what ${page.file} runs gives what it says`, () => followPage(page));
  });
}

/**
 * Runs the blocks of a page in order, as in one terminal. Each block must exit and print as the page shows.
 */
async function followPage(page: Page): Promise<void> {
  using stage = tree();
  const home = stage.at('ann');
  mkdirSync(home);
  installPackage(stage);
  const steps = stepsOf(page);
  let folder = steps[0]?.attributes.includes('empty') === true ? home : openWorkshop(home);
  for (const block of steps) {
    if (block.attributes.includes('packages')) {
      linkPackages(folder);
      continue;
    }
    const said = outputOf(page, block);
    const isScreen = said?.attributes.includes('screen') === true;
    const { status, stdout, stderr, ...ended } = await runBlock(block, isScreen, folder, stage);
    folder = ended.folder;
    const stated = Number(block.attributes.find((attribute) => attribute.startsWith('exit='))?.slice(5) ?? 0);
    assert.equal(status, stated, `${positionOf(block)} exit code\n${stdout}\n${stderr}`);
    if (said === undefined) continue;
    const printed = plain(stdout, home);
    if (isScreen) assert.equal(steady(printed), steady(said.content), positionOf(said));
    else assert.equal(printed, said.content, positionOf(said));
  }
}

/**
 * Returns the runnable blocks of a page, in order. A block with the attribute `packages` installs the
 * project's packages.
 */
function stepsOf(page: Page): readonly Block[] {
  return page.blocks.filter(
    ({ language, attributes }) =>
      language !== 'sop' && (attributes.includes('run') || attributes.includes('packages')),
  );
}

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The folder in which the next block runs. `cd` changes it, as in a terminal. */
  readonly folder: string;
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
    // Node strips types in the same way, but every process would have to load the parser.
    const file = stage.write(`program/block-${block.line}.mjs`, stripTypeScriptTypes(block.content));
    return { ...(await run(process.execPath, [file], { cwd, env })), folder: cwd };
  }
  const note = stage.write('place', cwd);
  const script = `trap 'pwd > "${note}"' EXIT\n${isScreen ? 'exec 2>&1\n' : ''}${block.content}`;
  const ended = await run('sh', ['-eu', '-c', script], { cwd, env });
  return { ...ended, folder: readFileSync(note, 'utf8').trim() };
}

function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Omit<Ended, 'folder'>> {
  return new Promise((done) => {
    const child = execFile(command, args, { ...options, timeout: 300_000 }, (_error, stdout, stderr) => {
      done({ status: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

/** Adds the command to the PATH and the package to the folder of TypeScript programs. */
function installPackage(stage: Tree): void {
  const command = `#!/bin/sh\nexec "${process.execPath}" "${installedMain}" "$@"\n`;
  chmodSync(stage.write('bin/skilled', command), 0o755);
  mkdirSync(stage.at('program'));
  symlinkSync(join(installedProject, 'node_modules'), stage.at('program/node_modules'));
}

/** Copies the example workshop. The repository above it ends the upward search for skills. */
function openWorkshop(home: string): string {
  const folder = join(home, 'workshop');
  const isSource = (path: string): boolean => !/\.db|\.generation$/.test(path); // files that runs left there
  cpSync(join(root, 'examples', 'workshop'), folder, { recursive: true, filter: isSource });
  mkdirSync(join(folder, '.git'));
  linkPackages(folder);
  return folder;
}

/** Replaces the parts of an output that depend on the machine. */
function plain(text: string, home: string): string {
  return text.replaceAll(home, '/home/ann').replace(/sha256:[0-9a-f]{64}/g, 'sha256:…');
}

/**
 * Replaces the parts of a screen that differ between runs: times, run ids and column widths, and token counts
 * and truncation, which depend on the length of local paths.
 */
function steady(text: string): string {
  return text
    .replace(/(?<=\{")[^\n]*?…(?= |$)/gm, '…')
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, '… s')
    .replace(/… s working, … s in total/g, '… s') // printed only if the two values differ
    .replace(/^ +(?=… s)/gm, '')
    .replace(/\br_[0-9a-f]{8,16}\b/g, 'r_…')
    .replace(/\bas on \d{4}-\d\d-\d\d\b/g, 'as on …')
    .replace(/\b[\d,]+ tok\b/g, '… tok')
    .replace(/(?<=\S) {2,}/g, '  ');
}
