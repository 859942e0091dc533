import { entryFiles } from '../core/package-files.ts';
import { findEngine } from './isolate-engine.ts';

/** A program and its words. */
export type Words = readonly [program: string, ...words: string[]];

/**
 * What starts a process that runs snippets: inside bubblewrap, where there is nothing but the files of its program, and
 * without. Node itself lets it read those files only, write none and start nothing.
 */
export function isolateCommands(): { readonly enclosed: Words; readonly bare: Words } {
  const { entry, read } = entryFiles('sandboxes/isolate-worker', ['core', 'sandboxes']);
  const engine = findEngine();
  const own = [
    ...[...read, ...engine.read],
    '/etc/alpine-release', // tells which build of the engine fits
  ];
  const system = [process.execPath, '/usr', '/lib', '/lib64', '/nix/store', '/etc/ld.so.cache'];
  const bare: Words = [
    process.execPath,
    ...['--no-node-snapshot', '--max-old-space-size=256', '--permission', '--allow-addons'],
    ...own.map((path) => `--allow-fs-read=${path}`),
    ...[entry, engine.file],
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
