import type { Grant } from '../core/sandbox.ts';
import { handles } from './contained-script.ts';
import type { GrantedFolders } from './granted-folders.ts';
import type { Network } from './network.ts';
import { insideUser } from './private-files.ts';
import { limitsOf, sharedMemoryBytes, temporaryBytes } from './sandbox-limits.ts';
import { buildNodeMounts, systemMounts, hostNames } from './system-mounts.ts';

/** Arguments of every sandbox: nothing is shared, nothing is left of the privileges of whoever starts it. */
export const fixedArguments: readonly string[] = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--hostname', 'sandbox'],
  ...['--uid', insideUser.id, '--gid', insideUser.id],
  ...['--args', String(handles.arguments)],
];

/** What a sandbox is made of. */
interface Contained {
  readonly grant: Grant;
  readonly network: Network | undefined;
  /** The folder of the host that is its /tmp; memory unless given. */
  readonly temporary: string | undefined;
}

/** Arguments that a grant makes, given apart because other users of the machine see the command lines of all processes. */
export function buildArguments(
  { grant, network, temporary }: Contained,
  { folders, links }: Pick<GrantedFolders, 'folders' | 'links'>,
  handleOf: (index: number) => number,
): readonly string[] {
  const isShared = grant.hosts.includes('*');
  const shown = folders.map(({ path }) => path);
  return [
    ...(isShared ? ['--share-net'] : []),
    ...systemMounts(isShared || network !== undefined),
    ...(isShared ? hostNames : []),
    ...buildOwnFolders(grant, temporary),
    ...folders.flatMap(({ path, isWritable }, index) => [
      ...[isWritable ? '--bind-fd' : '--ro-bind-fd', String(handleOf(index)), path],
    ]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...buildNodeMounts(shown),
    ...(network?.bind ?? []),
    ...['/dev', '/proc', '/'].flatMap((path) => ['--remount-ro', path]),
    ...Object.entries(environmentOf(grant, network)).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** The folders of a sandbox whose files are memory: not those of the host that were granted in their place. */
export function memoryFoldersOf(
  { folders }: Pick<GrantedFolders, 'folders'>,
  temporary: string | undefined,
): readonly string[] {
  const own = temporary === undefined ? ['/tmp', '/dev/shm'] : ['/dev/shm'];
  return own.filter((folder) => !folders.some(({ path }) => path === folder));
}

function buildOwnFolders(grant: Grant, temporary: string | undefined): readonly string[] {
  const size = String(temporaryBytes(limitsOf(grant)));
  return [
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm'],
    ...(temporary === undefined ? ['--size', size, '--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...['--dir', insideUser.home],
    ...['--symlink', '/tmp', '/var/tmp', '--dir', '/run'],
  ];
}

function environmentOf(grant: Grant, network: Network | undefined): Readonly<Record<string, string>> {
  const own = { HOME: insideUser.home, TMPDIR: '/tmp', USER: insideUser.name };
  return { ...grant.environment, ...network?.environment, ...own };
}
