import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { entryFile } from '../core/entry-file.ts';
import { AgentError } from '../core/error.ts';

const require = createRequire(import.meta.url);

/** A program and its words. */
export type Words = readonly [program: string, ...words: string[]];

/**
 * What starts a process that runs snippets: inside bubblewrap, where there is nothing but the files of its program, and
 * without. Node itself lets it read those files only, write none and start nothing.
 */
export function isolateCommands(): { readonly enclosed: Words; readonly bare: Words } {
  const entry = entryFile('sandboxes/isolate-worker');
  const engine = findEngine();
  const sources = dirname(dirname(entry));
  const own = [
    ...[sources, join(dirname(sources), 'package.json')],
    ...[dirname(dirname(engine)), dirname(createRequire(engine).resolve('node-gyp-build'))],
    '/etc/alpine-release', // tells which build of the engine fits
  ];
  const system = [process.execPath, '/usr', '/lib', '/lib64', '/nix/store', '/etc/ld.so.cache'];
  const bare: Words = [
    process.execPath,
    ...['--no-node-snapshot', '--max-old-space-size=256', '--permission', '--allow-addons'],
    ...own.map((path) => `--allow-fs-read=${path}`),
    ...[entry, engine],
  ];
  const enclosed: Words = [
    'bwrap',
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...own, ...system].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--chdir', '/', '--', ...bare],
  ];
  return { enclosed, bare };
}

/** The file of the engine, which is loaded nowhere but in that process. */
function findEngine(): string {
  try {
    return require.resolve('isolated-vm');
  } catch (thrown) {
    throw new AgentError(
      'sandbox.unavailable',
      'Snippets cannot run: the package isolated-vm is not installed.',
      {
        hint: 'Install it where skilled is installed: npm install isolated-vm',
        cause: thrown,
      },
    );
  }
}
